import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { key, seeded } from 'tpu-toolkit/random'
import {
  asha,
  grid,
  integers,
  linear,
  log,
  type Params,
  random,
  runSweep,
  type Search,
  type SweepOptions,
  sobol,
  type TrialContext,
  TrialFailed,
} from 'tpu-toolkit/sweep'
import { afterAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const folder = mkdtempSync(join(tmpdir(), 'run-sweep-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newPath = (): string => join(folder, `rows${files++}.jsonl`)

/** Least at lr 0.3, and better the longer it runs. */
function bowl({ lr }: Params, { steps = 1 }: TrialContext): { loss: number } {
  return { loss: (Number(lr) - 0.3) ** 2 + 1 / steps }
}
const space = { lr: linear(0, 1) }
const over = random({ trials: 16, key: key(7) })
const searches: Readonly<Record<string, Search>> = {
  grid: grid(),
  random: over,
  sobol: sobol({ trials: 16 }),
  asha: asha({ over, eta: 2, minSteps: 1, maxSteps: 8 }),
}
const asked = (search: Search, path: string): SweepOptions => ({
  experiment: bowl,
  space: search.name === 'grid' ? { lr: linear(0, 1, { points: 16 }) } : space,
  search,
  metric: 'loss',
  path,
  workers: 3,
})

describe(`runSweep (seed ${seed})`, () => {
  it('runSweep(options) finds the best row: least or greatest, and what is missing counts as worst or best', async () => {
    const path = newPath()
    const experiment = ({ a }: Params) => ({ m: a === 2 ? NaN : Number(a) })
    const options = { experiment, space: { a: integers(1, 3) }, path, metric: 'm' } as const
    const best = async (how: Partial<SweepOptions>) =>
      (await runSweep({ ...options, ...how })).best?.trial.params['a']
    expect(await best({})).toBe(1)
    expect(await best({ goal: 'max' })).toBe(3)
    expect(await best({ missing: 'best' })).toBe(2)
    expect(await best({ goal: 'max', missing: 'best' })).toBe(2)
    expect((await runSweep({ ...options, space: { a: [2] } })).best).toBeNull()
  })

  it.each(Object.entries(searches))(
    'runSweep(%s) stopped a dozen times at any moment, its last line cut anywhere, ends with the same bytes and runs no row again',
    async (_, search) => {
      const whole = newPath()
      const right = await runSweep(asked(search, whole))
      const path = newPath()
      const draw = seeded(`${search.name} ${seed}`)
      let ran = 0
      for (let stops = 0; stops < 12; stops++) {
        const stop = new AbortController()
        let left = 1 + Math.floor(draw() * 5)
        const experiment = async (params: Params, context: TrialContext) => {
          if (left-- === 0) stop.abort(new Error('stopped'))
          stop.signal.throwIfAborted()
          ran++
          return bowl(params, context)
        }
        Object.defineProperty(experiment, 'name', { value: 'bowl' })
        const ended = await runSweep({ ...asked(search, path), experiment, signal: stop.signal }).catch(
          (e) => e.message,
        )
        if (ended !== 'stopped') break
        const text = readFileSync(path)
        const line = text.lastIndexOf(0x0a, text.length - 2) + 1
        if (draw() < 0.5 || line <= text.indexOf(0x0a) + 1) continue
        ran--
        writeFileSync(path, text.subarray(0, line + Math.floor(draw() * (text.length - line))))
      }
      const result = await runSweep(asked(search, path))
      expect(readFileSync(path, 'utf8')).toBe(readFileSync(whole, 'utf8'))
      expect(result).toEqual(right)
      expect(ran).toBeLessThanOrEqual(right.rows.length)
      expect(readdirSync(folder).filter((name) => /states|lock|tmp$/.test(name))).toEqual([])
    },
  )

  it('runSweep(asha) runs the better ones further, each from where its folder was left', async () => {
    const path = newPath()
    const went: string[] = []
    const experiment = ({ lr }: Params, { steps = 0, resume }: TrialContext) => {
      const kept = join(resume!, 'steps')
      const from = existsSync(kept) ? Number(readFileSync(kept, 'utf8')) : 0
      writeFileSync(kept, String(steps))
      went.push(`${lr} ${from} ${steps}`)
      return { loss: Math.abs(Number(lr) - 3) }
    }
    const search = asha({ over: grid(), eta: 2, minSteps: 1, maxSteps: 4 })
    const options = {
      experiment,
      space: { lr: [1, 2, 3, 4] },
      search,
      metric: 'loss',
      path,
      workers: 1,
    } as const
    const { rows, best, rungs } = await runSweep(options)
    expect(rungs).toEqual([1, 2, 4])
    expect(went).toEqual(['1 0 1', '2 0 1', '2 1 2', '3 0 1', '3 1 2', '3 2 4', '4 0 1'])
    expect(best).toEqual(rows.at(-2))
    expect(best?.trial).toMatchObject({ params: { lr: 3 }, steps: 4 })
    expect(readFileSync(path, 'utf8').split('\n')[0]).toMatch(
      /^\{"file":"tpu-toolkit sweep","version":1,"experiment":"experiment","search":"asha","configurations":4,"which":"[\da-f]{16}","eta":2,"steps":\[1,2,4\],"metric":"loss","goal":"min","missing":"worst","atOnce":1\}$/,
    )
  })

  it('runSweep(asha) begun again keeps the number of places it began with, and refuses other settings', async () => {
    const path = newPath()
    const search = searches['asha']!
    const first = await runSweep(asked(search, path))
    const text = readFileSync(path, 'utf8')
    expect(await runSweep({ ...asked(search, path), workers: 1 })).toEqual(first)
    expect(readFileSync(path, 'utf8')).toBe(text)
    for (const [how, what] of [
      [{ goal: 'max' }, 'goal was "min"'],
      [{ search: asha({ over, eta: 2, minSteps: 1, maxSteps: 16 }) }, 'steps was [1,2,4,8]'],
      [{ space: { lr: log(0.1, 1) } }, 'which was "'],
      [{ search: over }, 'search was "asha"'],
    ] as const) {
      await expect(runSweep({ ...asked(search, path), ...how })).rejects.toThrow(
        `sweep: results of another search, ${what}`,
      )
    }
  })

  it('runSweep(options) ends at the first row without the metric, keeps it, and says so again', async () => {
    const path = newPath()
    let ran = 0
    const experiment = () => ({ los: ++ran })
    const options = { experiment, space: { a: integers(1, 50) }, path, metric: 'loss' }
    const message = 'experiment: the row has no loss, did you mean los [los]'
    await expect(runSweep(options)).rejects.toThrow(new RangeError(message))
    expect(ran).toBeLessThan(4)
    const kept = readFileSync(path, 'utf8')
    expect(kept.split('\n').length).toBe(3)
    await expect(runSweep(options)).rejects.toThrow(new RangeError(message))
    expect((await runSweep({ ...options, metric: 'los' })).rows.length).toBe(50)
  })

  it('runSweep(asha) goes round a trial that fails, throws its error at the end, and tries it again the next time', async () => {
    const path = newPath()
    let broken = true
    const experiment = ({ lr }: Params) => {
      if (lr === 2 && broken) throw new Error('out of luck')
      return { loss: Number(lr) }
    }
    const search = asha({ over: grid(), eta: 2, minSteps: 1, maxSteps: 2 })
    const options = {
      experiment,
      space: { lr: [1, 2, 3, 4] },
      search,
      metric: 'loss',
      path,
      workers: 2,
    } as const
    const first = runSweep(options)
    await expect(first).rejects.toThrow(TrialFailed)
    await expect(first).rejects.toThrow('experiment: failed, out of luck [lr 2, to step 1]')
    broken = false
    const { rows } = await runSweep(options)
    expect(rows.filter(({ trial }) => trial.steps === 1).length).toBe(4)
  })

  it("runSweep(file) refuses results of the file's earlier text, and of another file", async () => {
    const path = newPath()
    const file = join(folder, 'mine.mjs')
    const other = join(folder, 'other.mjs')
    writeFileSync(file, 'export default ({ lr }) => ({ loss: lr })\n')
    writeFileSync(other, 'export default ({ lr }) => ({ loss: lr })\n')
    const options = { experiment: file, space: { lr: [1, 2] }, path, workers: 1 }
    const told: unknown[] = []
    const { rows, best } = await runSweep({ ...options, onRow: (done, total) => told.push([done, total]) })
    expect([rows.map(({ row }) => row['loss']), best]).toEqual([[1, 2], null])
    expect(told).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ])
    await expect(runSweep({ ...options, experiment: other })).rejects.toThrow(
      'sweep: results of another experiment, mine.mjs: take another path for these',
    )
    writeFileSync(file, 'export default ({ lr }) => ({ loss: 2 * lr })\n')
    await expect(runSweep(options)).rejects.toThrow(
      'sweep: the text of mine.mjs has changed since these results: take another path for these, or remove them',
    )
  })

  it.each([
    [{ goal: 'min' }, 'runSweep: option metric is missing, of which goal speaks [no metric]'],
    [
      { search: asha({ over: grid(), minSteps: 1, maxSteps: 2 }) },
      'runSweep: asha needs the option metric [asha]',
    ],
    [{ metric: 'loss', goal: 'least' }, 'runSweep: unknown goal, there are min, max [least]'],
    [{ workers: 0 }, 'runSweep: workers is not a whole number from 1 to 256 [0]'],
    [{ space: { lr: 3 } }, 'runSweep: lr is neither a list of values nor a range [3]'],
  ])('runSweep(%o) is refused before a file is made', async (wrong, message) => {
    const path = newPath()
    const options = { experiment: bowl, space: { lr: [1] }, path, ...wrong } as SweepOptions
    await expect(runSweep(options)).rejects.toThrow(message)
    expect(existsSync(path)).toBe(false)
  })
})
