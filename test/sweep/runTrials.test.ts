import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { localRunner, makeTrial, runTrials, TrialFailed, threadRunner } from 'tpu-toolkit/sweep'
import { afterAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const folder = mkdtempSync(join(tmpdir(), 'trials-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newPath = (): string => join(folder, `rows${files++}.jsonl`)
const trials = [3, 1, 2].map((lr) => makeTrial({ lr, name: 'a' }))
const double = localRunner(({ lr }) => ({ loss: 2 * Number(lr) }))

describe(`makeTrial (seed ${seed})`, () => {
  it('makeTrial(params) has one key for one set of parameters, in whatever order they are named', () => {
    const value = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.option(fc.integer({ min: 1 })), (params, steps) => {
        const turned = Object.fromEntries(Object.entries(params).reverse())
        const { key } = makeTrial(params, steps ?? undefined)
        expect(makeTrial(turned, steps ?? undefined).key).toBe(key)
        expect(makeTrial({ ...params, another: 1.5 }).key).not.toBe(key)
      }),
      { seed },
    )
  })

  it('makeTrial(params) tells values of different kinds apart, and has one zero', () => {
    const keys = [{ a: 1 }, { a: '1' }, { a: true }, { a: 'true' }, { a: null }].map((p) => makeTrial(p).key)
    expect(new Set(keys).size).toBe(5)
    expect(makeTrial({ a: -0 })).toEqual(makeTrial({ a: 0 }))
    expect(makeTrial({ a: 1 }, 3).key).not.toBe(makeTrial({ a: 1 }).key)
  })
})

describe('runTrials', () => {
  it('runTrials(trials) returns rows in the order of the trials, and runs nothing twice', async () => {
    const path = newPath()
    const rows = await runTrials(trials, { path, runner: double })
    expect(rows).toEqual(trials.map((trial) => ({ trial, row: { loss: 2 * Number(trial.params['lr']) } })))
    const text = readFileSync(path, 'utf8')
    expect(text.split('\n')[0]).toBe('{"file":"tpu-toolkit sweep","version":1}')
    expect(text.split('\n')[1]).toMatch(
      /^\{"options":\{"lr":3,"name":"a"\},"loss":6,"check":"[\da-f]{16}"\}$/,
    )
    const none = localRunner(() => Promise.reject(new Error('nothing is to be run')))
    expect(await runTrials(trials, { path, runner: none })).toEqual(rows)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('runTrials(trials) writes a file that is removed under it again, all rows of it, and refuses one in its place', async () => {
    const [whole, path, other] = [newPath(), newPath(), newPath()]
    await runTrials(trials, { path: whole, runner: double })
    const disturbed = (at: string, work: () => void) => {
      let rows = 0
      const onRow = (): void => {
        if (++rows === 3) work()
      }
      // One after the other: the third row comes when the file is another.
      let turn: Promise<unknown> = Promise.resolve()
      const run = ({ params }: (typeof trials)[number]): Promise<{ loss: number }> => {
        const mine = turn.then(() => ({ loss: 2 * Number(params['lr']) }))
        turn = mine.then(() => new Promise((done) => setTimeout(done, 5)))
        return mine
      }
      return runTrials(trials, { path: at, runner: { run, close: async () => {} }, onRow })
    }
    await disturbed(path, () => rmSync(path))
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(whole, 'utf8'))
    const replaced = disturbed(other, () => {
      rmSync(other)
      writeFileSync(other, 'somebody else')
    })
    await expect(replaced).rejects.toThrow(`sweep: another file has the place of this one [${other}]`)
    expect(readFileSync(other, 'utf8')).toBe('somebody else')
  })

  it('runTrials(trials) keeps how far a trial ran apart from how far another did', async () => {
    const path = newPath()
    const rungs = [1, 3].map((steps) => makeTrial({ lr: 1 }, steps))
    const runner = localRunner((_, { steps = 0 }) => ({ loss: 1 / steps }))
    const rows = await runTrials(rungs, { path, runner })
    expect(rows.map(({ row }) => row['loss'])).toEqual([1, 1 / 3])
    expect(await runTrials(rungs, { path, runner })).toEqual(rows)
    expect(readFileSync(path, 'utf8')).toContain('{"options":{"lr":1},"atSteps":3,"loss":')
  })

  it("runTrials(trials) refuses another experiment's file, and leaves it as it is", async () => {
    const path = newPath()
    await runTrials(trials, { path, runner: double, experiment: 'a.mjs' })
    const text = readFileSync(path, 'utf8')
    for (const [experiment, theirs] of [
      ['b.mjs', 'a.mjs'],
      [undefined, 'a.mjs'],
    ] as const) {
      const options = { path, runner: double, ...(experiment === undefined ? {} : { experiment }) }
      await expect(runTrials(trials, options)).rejects.toThrow(
        new RangeError(
          `sweep: results of another experiment, ${theirs}: take another path for these [${path}]`,
        ),
      )
    }
    expect(readFileSync(path, 'utf8')).toBe(text)
    writeFileSync(path, text.replace('"version":1', '"version":2'))
    await expect(runTrials(trials, { path, runner: double })).rejects.toThrow(/results of version 2, which/)
  })

  it('runTrials(trials) refuses a trial whose key is not its own', async () => {
    const trial = { ...makeTrial({ lr: 1 }), key: 'mine' }
    await expect(runTrials([trial], { path: newPath(), runner: double })).rejects.toThrow(
      new RangeError('runTrials: not the key of its trial [mine]'),
    )
  })
})

describe('localRunner', () => {
  it('localRunner(f) runs one trial after the other, and none after close', async () => {
    let under = 0
    const runner = localRunner(async ({ lr }) => {
      expect(++under).toBe(1)
      await new Promise((done) => setTimeout(done, 2))
      under--
      return { lr: lr ?? null }
    })
    const rows = await Promise.all(trials.map((trial) => runner.run(trial)))
    expect(rows.map((row) => row['lr'])).toEqual([3, 1, 2])
    await runner.close()
    await expect(runner.run(trials[0]!)).rejects.toThrow(/aborted/)
  })
})

describe('threadRunner', () => {
  const file = join(folder, 'threads.mjs')
  writeFileSync(
    file,
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
export default async ({ lr, name }, { steps, report, resume }) => {
  if (name === 'throws') throw new RangeError('out of luck')
  if (name === 'text') throw 'a text'
  if (name === 'exits') process.exit(3)
  report(1, { loss: lr })
  // Reports come by a way of their own, which a row may overtake: so this one waits until it was heard.
  const heard = name === undefined && steps === 3 && join(resume, 'heard')
  while (heard && !existsSync(heard)) await new Promise((done) => setTimeout(done, 5))
  const kept = resume && join(resume, 'at')
  const from = kept && existsSync(kept) ? Number(readFileSync(kept, 'utf8')) : 0
  if (kept) writeFileSync(kept, String(steps))
  return { loss: lr * 2, from, to: steps ?? null }
}
`,
  )

  it('threadRunner(file) runs trials in threads, reports, and keeps a folder for each configuration', async () => {
    const states = join(folder, 'states')
    const runner = threadRunner({ experiment: file, workers: 1, states })
    try {
      const told: unknown[] = []
      const first = await runner.run(makeTrial({ lr: 1 }, 3), (step, metrics) => {
        told.push([step, metrics])
        const [own] = readdirSync(states)
        writeFileSync(join(states, own!, 'heard'), '')
      })
      expect(first).toEqual({ loss: 2, from: 0, to: 3 })
      expect(told).toEqual([[1, { loss: 1 }]])
      expect(await runner.run(makeTrial({ lr: 1 }, 9))).toEqual({ loss: 2, from: 3, to: 9 })
      expect(await runner.run(makeTrial({ lr: 2 }, 9))).toEqual({ loss: 4, from: 0, to: 9 })
      expect(readdirSync(states).length).toBe(2)
    } finally {
      await runner.close()
    }
  })

  it('threadRunner(file).load() imports a module in a thread, and only where its bytes are the expected ones', async () => {
    const mark = join(folder, 'imported')
    const marks = join(folder, 'marks.mjs')
    writeFileSync(
      marks,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(mark)}, '')\n`,
    )
    const exits = join(folder, 'exits.mjs')
    writeFileSync(exits, 'process.exit(7)\n')
    const late = join(folder, 'late.mjs')
    const thrower = "setTimeout(() => { throw new Error('too late') }, 10)"
    const poster = "parentPort.postMessage(null); report(1); report(2, { x: 'text' }); report(3, { loss: 4 })"
    writeFileSync(
      late,
      `import { parentPort } from 'node:worker_threads'\nexport default (_, { report }) => { ${thrower}; ${poster}; return {} }\n`,
    )
    const refused = threadRunner({ experiment: marks, digest: '0123456789abcdef' })
    const ended = threadRunner({ experiment: exits })
    const errs = threadRunner({ experiment: late, workers: 1 })
    try {
      await expect(refused.load()).rejects.toThrow('its file was changed while it ran')
      await expect(refused.run(makeTrial({ lr: 1 }))).rejects.toThrow('its file was changed while it ran')
      expect(existsSync(mark)).toBe(false)
      await expect(ended.load()).rejects.toThrow('code: 7')
      await errs.load()
      const told: unknown[] = []
      for (const lr of [1, 2]) {
        await errs.run(makeTrial({ lr }), (step, metrics) => told.push([step, metrics]))
        await new Promise((done) => setTimeout(done, 200))
      }
    } finally {
      for (const runner of [refused, ended, errs]) await runner.close()
    }
  })

  it('threadRunner(file) says which trial failed, and how; the others go on', async () => {
    const path = newPath()
    const runner = threadRunner({ experiment: file, workers: 1 })
    const asked = ['throws', 'text', 'exits', 'fine'].map((name) => makeTrial({ lr: 1, name }))
    try {
      const ended = await Promise.allSettled(asked.map((trial) => runner.run(trial)))
      const said = ended.map((one) => (one.status === 'rejected' ? one.reason : one.value))
      expect(said[0]).toBeInstanceOf(TrialFailed)
      expect(said[0].message).toBe('threads.mjs: failed, out of luck [lr 1, name throws]')
      expect(said[1].message).toBe('threads.mjs: failed, a text [lr 1, name text]')
      expect(said[2].message).toMatch(/failed, worker exited with code: 3 \[lr 1, name exits\]$/i)
      expect(said[3]).toEqual({ loss: 2, from: 0, to: null })
      await expect(runTrials(asked, { path, runner })).rejects.toThrow(/out of luck.*, and 2 more failed$/)
      expect(readFileSync(path, 'utf8').split('\n').length).toBe(3)
      expect(existsSync(`${path}.lock`)).toBe(false)
    } finally {
      await runner.close()
    }
  })
})
