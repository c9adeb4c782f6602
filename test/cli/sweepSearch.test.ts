import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sweepGrid } from 'tpu-toolkit/step2750'
import { grid, loadExperiment, makeTrial, type TrialRow } from 'tpu-toolkit/sweep'
import { afterAll, describe, expect, it } from 'vitest'
import { bestText } from '../../src/cli/sweep/searchText.js'
import { readSweep } from '../../src/cli/sweep/sweepRequest.js'
import { root } from '../support/project.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'sweep-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'mine.mjs')
writeFileSync(
  file,
  `export default ({ lr, width = 1, zeroNans, batchSize }, { steps = 1, report }) => {
  report(1, { loss: lr })
  if (batchSize === 13) throw new Error('out of luck')
  return { loss: lr > 0.5 ? NaN : (Math.log10(lr) + 2) ** 2 + 1 / width + 1 / steps, zero: zeroNans ?? 'none' }
}
export const nothing = 3
`,
)
const sweep = (...args: string[]): ReturnType<typeof runCli> =>
  runCli('sweep', file, '--workers', '1', ...args)
const out = (name: string): string => join(folder, name)

describe('sweep of a module', () => {
  it('searches by Sobol, prints the best first, writes rows and the page, and runs nothing twice', async () => {
    const args = [
      '--lr',
      '1e-4..1:log',
      '--width',
      '4,8',
      '--zero-nans',
      'yes',
      '--search',
      'sobol',
      '--trials',
      '16',
      '--metric',
      'loss',
    ]
    const first = await sweep(...args, '--out', out('sobol'))
    expect([first.status, first.error]).toEqual([0, ''])
    const lines = first.out.split('\n')
    expect(lines[0]).toMatch(/^ +lr +width +loss +zero$/)
    expect(lines[2]).toMatch(/^ +0\.01 +8 +1\.125 +yes$/)
    expect(first.out).toContain('The least loss, 1.125: lr 0.01, width 8.')
    expect(first.out).toMatch(/16 runs, in .*rows\.jsonl\n$/)
    const page = readFileSync(join(out('sobol'), 'index.html'), 'utf8')
    expect(page).toContain('Sweep of mine.mjs')
    // Of the one plot, for wide screens and for narrow ones.
    expect(page.match(/<svg/g)?.length).toBe(2)
    expect(page).toContain('<dd>zeroNans yes</dd>')
    const rows = readFileSync(join(out('sobol'), 'rows.jsonl'), 'utf8')
    expect(rows.split('\n').length).toBe(18)
    const second = await sweep(...args, '--json', '--out', out('sobol'))
    const { best, search, rows: told } = JSON.parse(second.out)
    expect([search, best.params, told.length]).toEqual(['sobol', { lr: 0.01, width: 8, zeroNans: 'yes' }, 16])
    expect(readFileSync(join(out('sobol'), 'rows.jsonl'), 'utf8')).toBe(rows)
  })

  it('runs by rungs: the best go on, the page says who', async () => {
    const args = [
      '--lr',
      '1e-4..1:log',
      '--search',
      'asha',
      '--trials',
      '9',
      '--min-steps',
      '1',
      '--max-steps',
      '9',
      '--metric',
      'loss',
    ]
    const { status, out: text, error } = await sweep(...args, '--json', '--out', out('asha'))
    expect([status, error.startsWith('Written: ')]).toEqual([0, true])
    const { rungs, best, rows } = JSON.parse(text)
    expect(rungs).toEqual([1, 3, 9])
    expect(best.steps).toBe(9)
    const counts = rungs.map(
      (steps: number) => rows.filter((row: { steps: number }) => row.steps === steps).length,
    )
    expect(counts[0]).toBe(9)
    expect(counts[1]).toBeGreaterThanOrEqual(3)
    const page = readFileSync(join(out('asha'), 'index.html'), 'utf8')
    expect(page).toContain('Who went on')
    expect(existsSync(join(out('asha'), 'rows.jsonl.states'))).toBe(false)
  })

  it('a grid without a metric is a table in the order of the grid; --param takes any name', async () => {
    const { status, out: text } = await sweep(
      '--param',
      'lr=0.1,1e-2',
      '--param',
      'trials=2',
      '--out',
      out('grid'),
    )
    expect(status).toBe(0)
    expect(
      text
        .split('\n')
        .slice(2, 4)
        .map((line) => line.trim().split(/ +/)[0]),
    ).toEqual(['0.1', '0.01'])
    expect(readFileSync(join(out('grid'), 'rows.jsonl'), 'utf8')).toContain(
      '{"options":{"lr":0.1,"trials":2}',
    )
  })

  it('a run that fails is one line with its parameters, status 1; the others are kept, and only it is run again', async () => {
    const args = ['--lr', '0.1', '--batch-size', '12,13,14', '--out', out('fails')]
    const { status, out: text, error } = await sweep(...args)
    expect([status, text]).toEqual([1, ''])
    expect(error).toMatch(
      /^sweep: mine\.mjs: failed, out of luck \[lr 0\.1, batchSize 13\]; finished runs are in .*: the same command tries the others again\n$/,
    )
    expect(readFileSync(join(out('fails'), 'rows.jsonl'), 'utf8').split('\n').length).toBe(4)
  })

  it('--json owns standard output: what an experiment prints goes to the other stream', () => {
    const loud = join(folder, 'loud.mjs')
    writeFileSync(loud, "export default ({ a }) => { console.log('here I am'); return { a } }\n")
    const main = `${root}dist/cli/main.js`
    const args = [main, 'sweep', loud, '--a', '1,2', '--workers', '1', '--json', '--out', out('loud')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(JSON.parse(stdout).rows.map(({ row }: { row: { a: number } }) => row.a)).toEqual([1, 2])
    expect(stderr.match(/here I am/g)?.length).toBe(2)
  })

  it.each([
    [
      ['--trails', '3'],
      /^sweep: unknown option '--trails', did you mean --trials\? A parameter of that name: --param trails=3\n$/,
    ],
    [['--metirc', 'loss'], /^sweep: unknown option '--metirc', did you mean --metric\?/],
    [
      ['--lr', '1..2'],
      /^sweep: --lr is a range of no known kind, there are log, linear, int, as in 1\.\.2:log \[1\.\.2\]\n$/,
    ],
    [['--lr', '0..2:log'], /^sweep: --lr: log: from is not a finite number, .* \[0\]\n$/],
    [['--lr', '1..2:log'], /^sweep: a range without points, give them or search at random \[lr\]\n$/],
    [['--lr', '1..2:log:0'], /^sweep: --lr is not a whole number from 1 to 10000 \[0\]\n$/],
    [['--width'], /^sweep: --width has no values\n$/],
    [['--width', '--depth', '3'], /^sweep: --width has no values\n$/],
    [['--width', '1', '--width', '2'], /^sweep: --width is given twice \[2\]\n$/],
    [['--search', 'sobel'], /^sweep: unknown search \[sobel\], did you mean sobol, there are /],
    [['--trials', '3'], /^sweep: --trials says nothing of --search grid \[3\]\n$/],
    [['--search', 'random', '--eta', '3'], /^sweep: --eta says nothing of --search random \[3\]\n$/],
    [['--search', 'asha', '--min-steps', '1', '--max-steps', '3'], /^sweep: --search asha needs --metric\n$/],
    [
      ['--search', 'asha', '--metric', 'loss'],
      /^sweep: --search asha asks how far trials run at first and at most: --min-steps, --max-steps\n$/,
    ],
    [['--goal', 'max'], /^sweep: --goal says nothing without --metric \[max\]\n$/],
    [['--serve', '99999'], /^sweep: --serve is not a whole number from 0 to 65535 \[99999\]\n$/],
    [['--param', 'lr'], /^sweep: --param is not name=values \[lr\]\n$/],
    [['other.mjs'], /^sweep: two experiments are named \[.*mine\.mjs, other\.mjs\]\n$/],
  ])('%j is bad input: one line, status 2, and no folder', async (args, line) => {
    const { status, out: text, error } = await sweep(...args, '--out', out('refused'))
    expect([status, text]).toEqual([2, ''])
    expect(error).toMatch(line)
    expect(existsSync(out('refused'))).toBe(false)
  })

  it.each([
    [['--metric', 'los'], /^sweep: mine\.mjs: the row has no los, did you mean loss \[loss, zero\]\n$/],
    [['--lr', '0.2', '--experiment', 'x'], /^$/],
  ])('%j is found out when it runs', async (args, line) => {
    const { error } = await sweep('--lr', '0.1', ...args, '--out', out(args[1]!))
    expect(error).toMatch(line)
  })

  it.each([
    [['./absent.mjs'], /^sweep: no such file \[\.\/absent\.mjs\]\n$/],
    [
      ['nothing'],
      /^sweep: neither step2750, recipe nor the file of a module, such as \.\/experiment\.mjs \[nothing\]\n$/,
    ],
    [[`${file}#nothing`], /^sweep: nothing of mine\.mjs is not a function \[3\]\n$/],
    [['--lrs', '3'], /^sweep: unknown option '--lrs', did you mean --lr\n$/],
    [['step2750', '--width', '3'], /^sweep: unknown option '--width'/],
    [['-x'], /^sweep: unknown option '-x'\n$/],
  ])('sweep %j is bad input', async (args, line) => {
    const { status, error } = await runCli('sweep', ...args)
    expect(status).toBe(2)
    expect(error).toMatch(line)
  })
})

describe('bestText', () => {
  const one = (loss: number | null, lr: number) => ({ trial: makeTrial({ lr }), row: { loss } })
  const found = (goal: 'min' | 'max', rows: TrialRow[], best: TrialRow | null): string =>
    bestText({ rows, ranked: rows, best, rungs: [] }, { experiment: 'f', space: {}, metric: 'loss', goal })

  it('says which is best, that it has no finite metric where that is best, and that none has', () => {
    const [a, b] = [one(3, 1), one(null, 2)]
    expect(found('min', [a, b], a)).toBe('The least loss, 3: lr 1.')
    expect(found('max', [a, b], b)).toBe('The first without a finite loss: lr 2.')
    expect(found('max', [b], null)).toBe('No run has a finite loss.')
  })
})

describe('readSweep of the step-2750 experiment', () => {
  it('gives the runs of sweepGrid, in its order, whatever the order of the options', async () => {
    const given = {
      workers: '1',
      lr: '1e-3,2e-3',
      cumsum: 'stable,sequential',
      seed: '2,1',
      zeroNans: 'yes,no',
    }
    const { sweep, count, plain, out: where } = await readSweep(given, [], [])
    const lists = {
      lr: [1e-3, 2e-3],
      cumsum: ['stable', 'sequential'],
      seed: [2, 1],
      zeroNans: [true, false],
    } as const
    const right = sweepGrid(lists)
    expect([count, plain, where]).toEqual([right.length, true, 'reports/sweep'])
    const { complete } = await loadExperiment('step2750')
    expect(grid().configurations(sweep.space).map(complete)).toEqual(right)
  })

  it('counts a run without a first NaN step as the best, where that step is the metric', async () => {
    const given = { workers: '1', lr: '1e-3..1e-2:log', search: 'random', trials: '3' }
    const objective = async (more: object) => (await readSweep({ ...given, ...more }, [], [])).sweep
    expect(await objective({ metric: 'firstNonFiniteStep', goal: 'max' })).toMatchObject({
      missing: 'best',
      goal: 'max',
    })
    expect(await objective({ metric: 'firstNonFiniteStep', missing: 'worst' })).toMatchObject({
      missing: 'worst',
    })
    expect(await objective({ metric: 'medianLoss' })).not.toHaveProperty('missing')
  })
})
