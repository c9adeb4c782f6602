import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ablations, drawData, runStep2750, step2750Options } from 'tpu-toolkit/step2750'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'nan-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = (name: string): string => join(folder, name)

const run = (...args: string[]): ReturnType<typeof runCli> => runCli('nan', ...args)

/** Writes the data of a run in the layout that --data reads. */
function writeData(name: string, changes: { facts?: object; cut?: number } = {}): string {
  const { rows, length, x, y, clock, init } = drawData(step2750Options({ length: 8, seed: 5 }))
  const hex = (word: number, digits: number): string => word.toString(16).padStart(digits, '0')
  const words = new Uint32Array(init.buffer)
  const facts = {
    file: `${name}.bin`,
    dtype: 'u16 little-endian bf16 bits',
    arrays: [
      { name: 'x', shape: [rows, length], offset_bytes: 0 },
      { name: 'y', shape: [rows, length], offset_bytes: 2 * rows * length },
    ],
    g: Array.from(clock, (code) => hex(code, 4)),
    init: Object.fromEntries(
      ['a_log', 'b', 'c', 'dt_bias', 'dt_gap'].map((key, i) => [key, hex(words[i]!, 8)]),
    ),
    ...changes.facts,
  }
  const bytes = Buffer.concat([x, y].map((codes) => Buffer.from(codes.buffer)))
  writeFileSync(path(`${name}.bin`), bytes.subarray(0, bytes.length - (changes.cut ?? 0)))
  writeFileSync(path(`${name}.json`), JSON.stringify(facts))
  return path(`${name}.json`)
}

describe('nan', () => {
  it('prints a row every --trace steps, what ended the run, and that the rate is calibrated', async () => {
    const { status, out, error } = await run('--lr', '2e-3', '--trace', '100')
    const { firstNonFiniteStep: first, explanation } = runStep2750({ lr: 2e-3 })
    expect([status, error]).toEqual([0, ''])
    expect(out.split('\n')[0]).toBe(
      'Step 2750: experiment gap, L = 128, bfloat16, form factorized, cumsum sequential, lr 0.002, seed 1',
    )
    expect(out.split('\n')[1]).toBe(
      'The learning rate 0.000275 of experiment gap is calibrated: it puts the NaN of the naive form near step 2750. This run has 0.002. What stays is lr times step.',
    )
    expect(out).toMatch(/^ *step +loss +\|A\| +dt +cs_end +exponent span$/m)
    const rows = [...out.matchAll(/^ *(\d+) +\S+ +\S+ +\S+ +\S+ +\S+$/gm)].map(([, step]) => Number(step))
    expect(rows).toEqual([100, 200, 300, first! - 2, first! - 1, first!])
    expect(out).toContain(explanation.text)
  })

  it('--json prints one object with the bits of every loss beside it', async () => {
    const { status, out } = await run('--lr', '2e-3', '--json')
    const printed = JSON.parse(out)
    const result = runStep2750({ lr: 2e-3 })
    expect(status).toBe(0)
    expect(printed.options).toEqual({ ...result.options, data: null })
    expect(printed.note).toMatch(/calibrated/)
    expect(printed.keys).toEqual(['aLog', 'b', 'c', 'dtBias', 'dtGap'])
    expect(printed.firstNonFiniteStep).toBe(result.firstNonFiniteStep)
    expect(printed.loss).toEqual([...result.loss].map((value) => (Number.isFinite(value) ? value : null)))
    expect(printed.loss.at(-1)).toBeNull()
    expect(printed.lossBits.at(-1)).toBe('7fc00000')
    const bits = Uint32Array.from(printed.lossBits.slice(0, -1), (word: string) => Number.parseInt(word, 16))
    expect([...new Float32Array(bits.buffer)]).toEqual(printed.loss.slice(0, -1))
    expect(printed.records).toEqual(result.records)
    expect(printed.explanation).toBe(result.explanation.text)
  })

  it('--data reads sequences and parameters from a file and the one that it names', async () => {
    const file = writeData('good')
    const { status, out } = await run('--data', file, '--steps', '3', '--json')
    const drawn = runStep2750({ length: 8, seed: 5, steps: 3 })
    expect(status).toBe(0)
    const printed = JSON.parse(out)
    expect(printed.records).toEqual(drawn.records)
    expect(printed.options).toMatchObject({ data: file, length: 8 })
  })

  it('says of the earthquakes that nothing is calibrated', async () => {
    const { out } = await run('--experiment', 'earthquakes', '--steps', '2', '--length', '16')
    expect(out).toContain('The learning rate 0.000275 is not calibrated to anything here.')
    expect(out).toContain('Clean: the loss and every gradient of 2 steps are finite.')
  })

  it('--ablate prints a row for every form, running sum and dtype', async () => {
    const args = ['--ablate', '--steps', '2', '--length', '8']
    const { status, out } = await run(...args)
    expect(status).toBe(0)
    for (const { name } of ablations) expect(out).toContain(name)
    expect(out).toMatch(/naive: factorized, bfloat16 cumsum +clean at 2 /)
    const { rows } = JSON.parse((await run(...args, '--json')).out)
    expect(rows.map((row: { name: string }) => row.name)).toEqual(ablations.map(({ name }) => name))
  })
})

describe('nan --out', () => {
  it('writes the story as a page: the loss, the first differences, the bits, the cause, the cures', async () => {
    const out = mkdtempSync(join(tmpdir(), 'nan-page-'))
    try {
      const short = ['--lr', '2.4e-2', '--steps', '40', '--length', '64']
      const plain = await runCli('nan', ...short)
      const { status, out: text } = await runCli('nan', ...short, '--out', out)
      expect([status, text]).toEqual([0, `${plain.out}\nWritten: ${join(out, 'index.html')}\n`])
      const page = readFileSync(join(out, 'index.html'), 'utf8')
      for (const id of ['loss', 'differences', 'bits', 'cause', 'cures']) {
        expect(page).toContain(`<section id="${id}">`)
      }
      for (const cure of ['sums in float32', 'float32 kept', 'segsum', 'all in float32']) {
        expect(page).toContain(`<td>${cure}</td>`)
      }
      expect(/(>NaN<|>undefined<|<script\s|https?:\/\/(?!www\.w3\.org))/.exec(page)).toBeNull()
    } finally {
      rmSync(out, { recursive: true, force: true })
    }
  })
})

describe('nan refuses, with one line and status 2,', () => {
  const refused = async (args: readonly string[], message: string | RegExp): Promise<void> => {
    const { status, out, error } = await run(...args)
    expect([status, out]).toEqual([2, ''])
    expect(error).toMatch(/^nan: [^\n]+\n$/)
    if (typeof message === 'string') expect(error).toBe(`nan: ${message}\n`)
    else expect(error).toMatch(message)
  }

  it.each([
    [['--form', 'scan'], /unknown form, there are recurrence, .* \[scan\]/],
    [['--cumsum', 'exact'], /unknown cumsum, there are sequential, .* \[exact\]/],
    [['--dtype', 'int32'], /unknown dtype, there are float32, .* \[int32\]/],
    [['--experiment', 'moon'], 'unknown experiment, there are gap, uniform, earthquakes [moon]'],
    [['--broadcast-sum', 'x'], 'unknown broadcastSum, there are float32, windowed-32 [x]'],
    [['--steps', '0'], 'steps is not a whole number from 1 to 1000000 [0]'],
    [['--lr', 'NaN'], '--lr is not a number [NaN]'],
    [['--lr', '-1'], 'lr is not a positive number [-1]'],
    [['--seed', '1.5'], 'seed is not a whole number from 0 to 4294967295 [1.5]'],
    [['--trace', '0'], '--trace is not a whole number, 1 or more [0]'],
    [['--length', ''], '--length is not a number []'],
    [['--experiment', 'uniform', '--gap', '3'], 'experiment uniform has no gap [3]'],
    [['--data', 'x.json', '--gap', '3'], '--gap is for data that are drawn, and --data has its own [3]'],
    [['--ablate', '--form', 'segsum', '--zero-nans'], '--ablate sets this itself [--form, --zero-nans]'],
    [['--wrong'], "unknown option '--wrong'"],
  ] as const)('%o', async (args, message) => refused(args, message))

  it('data files that are missing, no JSON, of another layout, or of the wrong length', async () => {
    const data = (file: string): string[] => ['--data', file]
    await refused(data(path('missing.json')), /cannot read the data file, ENOENT.* \[.*missing\.json\]/)
    writeFileSync(path('text.json'), 'no')
    await refused(data(path('text.json')), /cannot read the data file, .*JSON.* \[.*text\.json\]/)
    writeFileSync(path('other.json'), '{"a":1}')
    await refused(data(path('other.json')), `the data file names no binary file [${path('other.json')}]`)
    const short = writeData('short', { cut: 2 })
    await refused(data(short), `short.bin has 32766 bytes, not the 32768 of x and y [${short}]`)
    const gone = writeData('gone', { facts: { file: 'nowhere.bin' } })
    await refused(data(gone), `cannot read nowhere.bin, which the data file names [${gone}]`)
    const unlike = writeData('unlike', { facts: { arrays: [{ name: 'x', shape: [2, 8], offset_bytes: 0 }] } })
    await refused(data(unlike), /does not describe x and y of one shape \[rows, length\] \[/)
    const clock = writeData('clock', { facts: { g: ['3f80'] } })
    await refused(data(clock), `g is not 8 codes of 4 hex digits [${clock}]`)
    const init = writeData('init', { facts: { init: { a_log: 'x' } } })
    await refused(data(init), `init is not the float32 bits of a_log, b, c, dt_bias, dt_gap [${init}]`)
    const good = writeData('fine')
    await refused(['--data', good, '--length', '9'], 'the data have 8 positions a row [9]')
  })

  it('a foreign checkpoint, which stays as it was', async () => {
    const file = path('foreign.json')
    writeFileSync(file, '{"my":"notes"}')
    await refused(['--checkpoint', file], `the file is no checkpoint of this command [${file}]`)
    expect(readFileSync(file, 'utf8')).toBe('{"my":"notes"}')
  })
})
