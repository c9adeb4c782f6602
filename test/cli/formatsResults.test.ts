import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { madeNames } from '../../src/cli/formats/made.js'
import { modelNames } from '../../src/cli/formats/modelData.js'
import { schemes } from '../../src/cli/formats/schemes.js'
import { isLong } from '../support/long.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'formats-results-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const call = (...args: string[]) => runCli('formats', '--measure', ...args)

const into = (name: string): string[] => ['--out', join(folder, name)]

interface Parsed {
  finding: string
  model?: { before: number; after: number }
  data: { name: string; finding: string }[]
  rows: Record<string, string | number | null>[]
}
const parse = (text: string): Parsed => JSON.parse(text) as Parsed

/** Those that the tests below name, and one of each other family; the long run measures all. */
const few = [
  'bfloat16',
  'float16',
  'float8_e3m4',
  'float8_e4m3',
  'float8_e4m3fn',
  'float8_e4m3fnuz',
  'float4_e2m1fn',
  'mxint8',
  'mxfp4',
  'nvfp4',
  'q4_k',
  'nf4',
  'int8',
]
const measured = isLong ? schemes : schemes.filter((scheme) => few.includes(scheme))

describe('formats --measure, results', async () => {
  const first = (await call('--json', '--seed', '7', '--only', measured.join(), ...into('seven'))).out
  const { data, rows, model, finding } = parse(first)
  const pooledRows = rows.filter((row) => row['tensor'] === '')
  const all = [...madeNames, ...modelNames]
  const find = (set: string, scheme: string, way: string) =>
    pooledRows.find((row) => row['data'] === set && row['scheme'] === scheme && row['way'] === way)!

  it('--json gives the same rows for the same seed, whatever is measured beside them', async () => {
    const some = ['mxfp4', 'float8_e4m3fn']
    const again = (await call('--json', '--seed', '7', '--only', some.join(), ...into('again'))).out
    expect(parse(again).rows).toEqual(rows.filter((row) => some.includes(String(row['scheme']))))
  })
  it('--json gives other numbers for another seed, of every data set', async () => {
    const other = parse((await call('--json', '--seed', '8', '--only', 'mxfp4', ...into('eight'))).out).rows
    const floor = other.filter((row) => row['tensor'] === '' && row['way'] === 'floor')
    expect(floor.map((row) => row['data'])).toEqual(all)
    for (const row of floor) expect(row['sqnr']).not.toBe(find(String(row['data']), 'mxfp4', 'floor')['sqnr'])
  })
  it('each scheme is measured on all data', async () => {
    expect(data.map(({ name }) => name)).toEqual(all)
    for (const set of all) {
      const there = new Set(pooledRows.filter((row) => row['data'] === set).map((row) => row['scheme']))
      expect([...there]).toEqual([...measured])
    }
  })
  it('every finding is a sentence with numbers in it and none missing', async () => {
    for (const text of [finding, ...data.map((set) => set.finding)]) {
      expect(text).toMatch(/\d/)
      expect(text).not.toMatch(/undefined|NaN|nan|null|\s-[\s,.]/)
    }
  })
  it('shares are shares, and SQNR is missing exactly where results are not finite', async () => {
    for (const row of rows) {
      for (const share of ['clipped', 'underflow', 'notFinite']) {
        expect(Number(row[share]) >= 0 && Number(row[share]) <= 1, JSON.stringify(row)).toBe(true)
      }
      expect(row['sqnr'] === null, JSON.stringify(row)).toBe(Number(row['notFinite']) > 0)
    }
  })
  it('saturating is told apart where a plain cast overflows, and nowhere else', async () => {
    const saturating = pooledRows.filter((row) => row['way'] === 'saturating')
    expect(saturating.length).toBeGreaterThan(5)
    for (const row of saturating) {
      const plain = find(String(row['data']), String(row['scheme']), 'plain')
      expect(Number(plain['notFinite'])).toBeGreaterThan(0)
      expect(row['notFinite']).toBe(0)
    }
  })
  it('losses belong to weights and activations, and a loss of 8 bits is that of float32 within 5 %', async () => {
    const told = pooledRows.filter((row) => row['loss'] !== null)
    expect(new Set(told.map((row) => row['data']))).toEqual(new Set(['weights', 'activations']))
    for (const set of ['weights', 'activations']) {
      expect(Math.abs(Number(find(set, 'mxint8', 'floor')['loss']) / model!.after - 1)).toBeLessThan(0.05)
    }
  })
  it("what is said of blocks holds: smaller ones keep more of an outlier channel's neighbours", async () => {
    const lost = (scheme: string, way: string) => Number(find('outliers', scheme, way)['underflow'])
    expect(lost('float4_e2m1fn', 'scaled')).toBeGreaterThan(0.99)
    expect(lost('mxfp4', 'floor')).toBeLessThan(0.2)
    expect(lost('nvfp4', 'two levels')).toBeLessThan(lost('mxfp4', 'floor'))
  })

  it('writes formats.json equal to what --json prints, and formats.csv with the same rows', async () => {
    expect(readFileSync(join(folder, 'seven', 'formats.json'), 'utf8')).toBe(first)
    const text = readFileSync(join(folder, 'seven', 'formats.csv'), 'utf8')
    const [heading, ...lines] = text.trimEnd().split('\n')
    const at = heading!.split(',').indexOf('underflow')
    expect(lines.map((line) => Number(line.split(',')[at]))).toEqual(rows.map((row) => row['underflow']))
  })
  it('writes a page with a section and two plots or more for each data set, and no missing number', async () => {
    const html = readFileSync(join(folder, 'seven', 'index.html'), 'utf8')
    for (const name of all) {
      const section = html.slice(html.indexOf(`<section id="${name}">`)).split('</section>')[0]!
      expect(section.match(/<svg/g)?.length, name).toBeGreaterThan(1)
    }
    expect(/undefined|>NaN<|NaN (dB|%)|="NaN|\[object|Infinity/.exec(html)).toBeNull()
    expect(/https?:|<script\s|src=/.exec(html.replaceAll('http://www.w3.org/', ''))).toBeNull()
  })
})

describe('formats --measure, one scheme', () => {
  it.each(measured)('--only %s prints a table of each data set', async (scheme) => {
    const { status, out } = await call('--only', scheme, '--data', 'normal,student-t', ...into('only'))
    expect(status).toBe(0)
    expect(out).toMatch(/^Normal: standard normal numbers \(262,144 values\)$/m)
    expect(out.match(/^format or scheme +way +bits a value +SQNR dB +clipped +underflow/gm)).toHaveLength(2)
    expect(out).not.toMatch(/undefined|NaN dB/)
  })
})
