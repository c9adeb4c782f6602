import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lockFile } from 'tpu-toolkit/files'
import { type Step2750Run, type SweepRow, sweepGrid, sweepRow } from 'tpu-toolkit/step2750'
import { sweep } from 'tpu-toolkit/step2750Files'
import { afterAll, describe, expect, it } from 'vitest'
import { folderPath } from '../../scripts/folders.js'
import { root } from '../support/project.js'

const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newPath = (): string => join(folder, `rows${files++}.jsonl`)

/** A row without a run: what it says follows from the options, so that a mix-up shows. */
const fake = (options: Step2750Run): SweepRow => ({
  options,
  stepsRun: options.seed,
  firstNonFiniteStep: options.seed % 2 === 0 ? null : options.seed,
  nonFiniteSteps: 1,
  medianLoss: options.lr,
  largestSpan: 1 / 3,
})
const grid = sweepGrid({ seed: [5, 1, 4], lr: [2e-4, 1e-4] })

/** Runs the grid with fakes; returns the rows and the seeds and rates that were run. */
async function swept(path: string, runs = grid): Promise<{ rows: SweepRow[]; ran: string[] }> {
  const ran: string[] = []
  const run = async (options: Step2750Run): Promise<SweepRow> => {
    ran.push(`${options.seed} ${options.lr}`)
    return fake(options)
  }
  return { rows: await sweep(runs, { path, run }), ran }
}

describe('sweepRow', () => {
  it('sweepRow(run) tells the first NaN step, or that there is none; also without a gap', () => {
    const [naive, stable] = sweepGrid({ lr: [0.01], steps: [120], cumsum: ['sequential', 'stable'] }).map(
      sweepRow,
    )
    expect(naive?.firstNonFiniteStep).toBeGreaterThan(50)
    expect(naive?.stepsRun).toBe(naive?.firstNonFiniteStep)
    expect(stable).toMatchObject({ firstNonFiniteStep: null, stepsRun: 120, nonFiniteSteps: 0 })
    const [uniform] = sweepGrid({ experiment: ['uniform'], steps: [2], length: [8] })
    expect(sweepRow(uniform!)).toMatchObject({ options: uniform, stepsRun: 2 })
  })
})

describe('sweep', () => {
  it('sweep(grid) returns the rows in the order of the grid and stores them so, whichever ends first', async () => {
    const [first, second] = [newPath(), newPath()]
    const { rows } = await swept(first)
    expect(rows).toEqual(grid.map(fake))
    const waits = new Map(grid.map((run, i) => [run, 6 - i]))
    const slow = (run: Step2750Run): Promise<SweepRow> =>
      new Promise((done) => setTimeout(() => done(fake(run)), 5 * waits.get(run)!))
    const told: number[] = []
    await sweep(grid, { path: second, run: slow, onRow: (done) => told.push(done) })
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(readFileSync(second, 'utf8')).toBe(readFileSync(first, 'utf8'))
    expect(existsSync(`${second}.lock`)).toBe(false)
  })

  it('sweep(grid) runs what the file does not hold, and keeps what is not in the grid', async () => {
    const path = newPath()
    await swept(path, grid.slice(0, 2))
    const { rows, ran } = await swept(path)
    expect(ran).toEqual(['1 0.0002', '1 0.0001', '4 0.0002', '4 0.0001'])
    expect(rows).toEqual(grid.map(fake))
    const other = await swept(path, grid.slice(4))
    expect(other.ran).toEqual([])
    expect((await swept(path)).ran).toEqual([])
    expect(readFileSync(path, 'utf8').split('\n').length).toBe(8)
  })

  it('sweep(grid) after a write that was cut off at any byte runs that one again, and ends with the same bytes', async () => {
    const path = newPath()
    await swept(path)
    const whole = readFileSync(path, 'utf8')
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1
    for (let length = lastLine; length < whole.length; length++) {
      writeFileSync(path, whole.slice(0, length))
      expect((await swept(path)).ran).toEqual(['4 0.0001'])
      expect(readFileSync(path, 'utf8')).toBe(whole)
    }
  })

  it('sweep(grid) takes a line that was cut off away before it adds one, so that another kill finds whole lines', async () => {
    const path = newPath()
    await swept(path)
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, whole.slice(0, -20))
    const run = async (options: Step2750Run): Promise<SweepRow> => {
      if (options.seed === 9) throw new Error('stopped before the rows are sorted')
      return fake(options)
    }
    await expect(sweep([...grid, ...sweepGrid({ seed: [9] })], { path, run })).rejects.toThrow('stopped')
    expect(readFileSync(path, 'utf8')).toBe(whole)
  })

  it('sweep(grid) finishes and stores the others where a run fails, and throws its error', async () => {
    const path = newPath()
    const run = async (options: Step2750Run): Promise<SweepRow> => {
      if (options.seed === 1 && options.lr === 1e-4) throw new Error('out of luck')
      return fake(options)
    }
    await expect(sweep(grid, { path, run })).rejects.toThrow('out of luck')
    expect((await swept(path)).ran).toEqual(['1 0.0001'])
  })

  it.each([
    [
      'a byte of a row changed',
      (text: string) => text.replace('"stepsRun":1', '"stepsRun":2'),
      'sweep: line 4 is damaged',
    ],
    ['a line that is no row', (text: string) => `${text}{}\n`, 'sweep: line 8 is damaged'],
    ['a row twice', (text: string) => `${text}${text.split('\n')[2]}\n`, 'sweep: line 8 repeats a row'],
    ['another file', () => 'a,b\n1,2\n', 'sweep: not a file of results'],
    ['an empty file', () => '', 'sweep: not a file of results'],
  ])('sweep(grid) refuses a file with %s, and leaves it as it is', async (_, change, message) => {
    const path = newPath()
    await swept(path)
    const changed = change(readFileSync(path, 'utf8'))
    writeFileSync(path, changed)
    await expect(swept(path)).rejects.toThrow(new RangeError(`${message} [${path}]`))
    expect(readFileSync(path, 'utf8')).toBe(changed)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('sweep(grid) refuses a file that a living process writes, and takes over the lock of one that was killed', async () => {
    const path = newPath()
    const lock = lockFile(path)
    await expect(swept(path)).rejects.toThrow(
      new RangeError(`sweep: this process is writing the file already [${path}]`),
    )
    expect(existsSync(path)).toBe(false)
    // The same process number, given again after this process has ended: as when a container is started again.
    const claim = JSON.parse(readFileSync(`${path}.lock`, 'utf8'))
    writeFileSync(`${path}.lock`, JSON.stringify({ ...claim, started: '1' }))
    expect((await swept(path)).ran.length).toBe(6)
    expect(existsSync(`${path}.lock`)).toBe(false)
    lock.release()
  })

  it.skipIf(process.platform === 'win32')(
    'sweep(grid) on a full disk throws, keeps the rows that fit, and goes on once there is room',
    () => {
      const path = newPath()
      const program = join(folder, 'full.mjs')
      const door = (folder: string): string =>
        pathToFileURL(`${root}dist/${folderPath(folder)}/index.js`).href
      // Files may have 1 KiB: the system cuts a write off there, and refuses the next one, as on a full disk.
      writeFileSync(
        program,
        `import { sweepGrid } from '${door('step2750')}'
import { sweep } from '${door('step2750Files')}'
process.on('SIGXFSZ', () => {})
const grid = sweepGrid({ seed: [5, 1, 4], lr: [2e-4, 1e-4] })
const run = async (options) => ({ options, stepsRun: options.seed, firstNonFiniteStep: options.seed % 2 === 0 ? null : options.seed, nonFiniteSteps: 1, medianLoss: options.lr, largestSpan: 1 / 3 })
await sweep(grid, { path: process.argv[2], run }).catch((error) => { console.log(error.code); process.exit(3) })`,
      )
      const full = spawnSync('bash', ['-c', `ulimit -f 1; exec "${process.execPath}" "${program}" "${path}"`])
      expect([String(full.stdout), full.status]).toEqual(['EFBIG\n', 3])
      const kept = readFileSync(path, 'utf8')
      expect(kept.endsWith('\n')).toBe(true)
      const rows = kept.split('\n').length - 2
      expect(rows).toBeGreaterThan(0)
      expect(rows).toBeLessThan(6)
      const again = spawnSync(process.execPath, [program, path])
      expect(again.status).toBe(0)
      expect(readFileSync(path, 'utf8').split('\n').length).toBe(8)
      expect(readdirSync(folder).filter((name) => /tmp$|lock/.test(name))).toEqual([])
    },
  )
})
