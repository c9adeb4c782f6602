import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seeded } from 'tpu-toolkit/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BundledCommand, bundledCommand } from '../support/bundledCommand.js'
import { isLong } from '../support/long.js'
import { runCli } from '../support/runCli.js'
import { seed } from '../support/seed.js'

const folder = mkdtempSync(join(tmpdir(), 'sweep-cli-'))
let bundled: BundledCommand
beforeAll(async () => {
  bundled = await bundledCommand('sweep')
})
afterAll(() => {
  for (const path of [folder, bundled.home]) rmSync(path, { recursive: true, force: true })
})

function start(out: string, ...args: string[]): ChildProcess {
  const { main } = bundled
  return spawn(process.execPath, [main, 'sweep', '--out', out, '--workers', '2', ...args])
}

async function finish(child: ChildProcess): Promise<{ status: number | null; out: string; error: string }> {
  let [out, error] = ['', '']
  child.stdout?.on('data', (text) => (out += text))
  child.stderr?.on('data', (text) => (error += text))
  const [status] = await once(child, 'close')
  return { status, out, error }
}

const refused = (...args: string[]): ReturnType<typeof runCli> =>
  runCli('sweep', '--out', join(folder, 'refused'), ...args)

describe(`sweep (seed ${seed})`, () => {
  it('prints a table, writes rows and the page with its two plots, and runs nothing twice', async () => {
    const out = join(folder, 'plain')
    const args = ['--lr', '0.01,0.02', '--cumsum', 'sequential,stable', '--steps', '100']
    const first = await finish(start(out, ...args))
    expect([first.status, first.error]).toEqual([0, ''])
    expect(first.out.split('\n')[0]).toMatch(
      /^ +lr +cumsum +first NaN step +lr x step +median loss +largest span$/,
    )
    expect(first.out).toMatch(/^ *0\.02 +sequential +\d+ +0\.\d+ /m)
    expect(first.out).toMatch(/^ *0\.02 +stable +- +- /m)
    expect(first.out).toContain('are calibrated')
    const rows = readFileSync(join(out, 'rows.jsonl'), 'utf8')
    expect(rows.split('\n').length).toBe(6)
    const page = readFileSync(join(out, 'index.html'), 'utf8')
    // The map, and the line for wide screens and for narrow ones.
    expect(page.match(/<svg/g)?.length).toBe(3)
    expect(page).toMatch(/lr x step lies between 0\.\d+ and 0\.\d+ in the 2 runs that become NaN/)

    const second = await finish(start(out, ...args, '--json'))
    expect(JSON.parse(second.out).rows.map((row: { options: { lr: number } }) => row.options.lr)).toEqual([
      0.01, 0.02, 0.01, 0.02,
    ])
    expect(second.error).toContain('Written: ')
    expect(readFileSync(join(out, 'rows.jsonl'), 'utf8')).toBe(rows)
  })

  const times = isLong ? 20 : 2

  it(`killed ${times} times at random moments, loses no row, repeats none, and ends with the bytes of a run undisturbed`, async () => {
    const lrs = Array.from({ length: isLong ? 25 : 6 }, (_, i) => `${i + 1}e-4`).join()
    const args = [
      '--lr',
      lrs,
      '--cumsum',
      'sequential,stable',
      '--steps',
      '150',
      '--length',
      '16',
      '--workers',
      '1',
    ]
    const [whole, out] = [join(folder, 'whole'), join(folder, 'killed')]
    expect((await finish(start(whole, ...args))).status).toBe(0)
    const right = readFileSync(join(whole, 'rows.jsonl'), 'utf8')
    const path = join(out, 'rows.jsonl')
    const lines = (): string[] =>
      existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
    const random = seeded(`sweep ${seed}`)
    for (let kills = 0; kills < times; ) {
      const before = lines()
      const child = start(out, ...args)
      let ended = false
      const closed = once(child, 'close').then(() => (ended = true))
      // Every other kill waits for a row, so that there is progress; the others come whenever they come.
      if (kills % 2 === 0) while (!ended && lines().length <= before.length) await wait(2)
      await wait(random() * (kills % 2 === 0 ? 40 : 400))
      if (!ended) kills++
      child.kill('SIGKILL')
      await closed
      const now = lines()
      expect(new Set(now).size).toBe(now.length)
      for (const line of before) expect(now).toContain(line)
      // Where it came to its end undisturbed it has the right bytes, and all begins anew.
      if (now.length === right.split('\n').length - 1) {
        expect((await finish(start(out, ...args))).status).toBe(0)
        expect(readFileSync(path, 'utf8')).toBe(right)
        rmSync(out, { recursive: true })
      }
    }
    expect((await finish(start(out, ...args))).status).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(right)
  })

  it.each([
    [['--form', 'best'], /^sweep: unknown form, there are .* \[best\]\n$/],
    [['--steps', '0'], /^sweep: steps is not a whole number from 1 to 1000000 \[0\]\n$/],
    [['--lr', '1e-4,NaN'], /^sweep: --lr is not a number \[NaN\]\n$/],
    [['--lr', '1e-4,'], /^sweep: --lr is not a number \[\]\n$/],
    [['--zero-nans', 'maybe'], /^sweep: --zero-nans is not yes or no \[maybe\]\n$/],
    [['--workers', '0'], /^sweep: --workers is not a whole number from 1 to 256 \[0\]\n$/],
    [['--experiment', 'gap,uniform', '--gap', '8'], /^sweep: experiment uniform has no gap \[8\]\n$/],
    [['--nope'], /^sweep: unknown option '--nope'\n$/],
  ])('%j is bad input: one line, status 2, and no folder', async (args, line) => {
    const { status, out, error } = await refused(...args)
    expect([status, out]).toEqual([2, ''])
    expect(error).toMatch(line)
    expect(existsSync(join(folder, 'refused'))).toBe(false)
  })

  it('a file of results that is none is bad input: one line, status 2, the file untouched', async () => {
    const out = mkdtempSync(join(folder, 'foreign-'))
    writeFileSync(join(out, 'rows.jsonl'), 'mine\n')
    const { status, error } = await finish(start(out, '--steps', '2'))
    expect(status).toBe(2)
    expect(error).toBe(`sweep: not a file of results [${join(out, 'rows.jsonl')}]\n`)
    expect(readFileSync(join(out, 'rows.jsonl'), 'utf8')).toBe('mine\n')
  })

  it('results that cannot be written are one line and status 1', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { status, error } = await finish(start(file, '--steps', '2'))
    expect(status).toBe(1)
    expect(error).toMatch(/^sweep: cannot write .* \[EEXIST.*\]\n$/)
  })
})
