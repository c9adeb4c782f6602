import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatNames } from 'tpu-toolkit/formats'
import { key, normal } from 'tpu-toolkit/random'
import { afterAll, describe, expect, it } from 'vitest'
import { madeNames } from '../../src/cli/formats/made.js'
import { modelNames } from '../../src/cli/formats/modelData.js'
import { schemes } from '../../src/cli/formats/schemes.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'formats-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const call = (...args: string[]) => runCli('formats', '--measure', ...args)

const into = (name: string): string[] => ['--out', join(folder, name)]

interface Parsed {
  finding: string
  model?: { before: number; after: number }
  data: { name: string; finding: string; tensors: string[] }[]
  skipped: { name: string; why: string }[]
  rows: Record<string, string | number | null>[]
}
const parse = (text: string): Parsed => JSON.parse(text) as Parsed

/** A safetensors file of float32 tensors, and one of integers. */
function weightsFile(name: string, tensors: Readonly<Record<string, Float32Array>>): string {
  const path = join(folder, name)
  let end = 16
  const entries = Object.entries(tensors).map(([tensor, { length }]) => {
    const data_offsets = [end, end + 4 * length]
    end += 4 * length
    return [tensor, { dtype: 'F32', shape: [length / 64, 64], data_offsets }]
  })
  const header = JSON.stringify({
    ids: { dtype: 'I64', shape: [2], data_offsets: [0, 16] },
    ...Object.fromEntries(entries),
  })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const data = Object.values(tensors).map(({ buffer }) => Buffer.from(buffer))
  writeFileSync(path, Buffer.concat([length, Buffer.from(header), Buffer.alloc(16), ...data]))
  return path
}

describe('formats --measure, options', async () => {
  it('--help names every option, scheme and data set, on standard output', async () => {
    const { status, out, error } = await call('--help')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    const options = ['--only', '--data', '--weights', '--seed', '--json', '--out']
    const words = [...options, ...schemes, ...madeNames, ...modelNames, ...formatNames]
    expect(words.filter((word) => !out.includes(word))).toEqual([])
  })

  it.each([
    [['--fast'], "unknown option '--fast'"],
    [['mxfp4'], '--measure takes formats by --only [mxfp4]'],
    [['--only'], 'argument missing'],
    [
      ['--only', 'mxfp3'],
      'unknown format or scheme [mxfp3], did you mean mxfp4, there are bfloat16, float16,',
    ],
    [['--only', 'mxfp4,,nvfp4'], 'unknown format or scheme []'],
    [
      ['--data', 'lognormals'],
      'unknown data [lognormals], did you mean lognormal, there are normal, student-t,',
    ],
    [['--data', 'file'], 'unknown data [file]'],
    [
      ['--data', 'weights', '--weights', 'x'],
      'unknown data [weights], there are file, normal, student-t, lognormal, outliers',
    ],
    [['--seed', '-1'], '--seed is not a whole number from 0 to 4294967295 [-1]'],
    [['--seed', '4294967296'], '[4294967296]'],
    [['--weights', ''], '--weights is not a file []'],
    [['--weights', '/nowhere/x.safetensors'], 'cannot read: /nowhere/x.safetensors [ENOENT'],
  ])('%j exits 2 with one line on standard error', async (args, says) => {
    const { status, out, error } = await call(...into('never'), ...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(/^formats: [^\n]+\n$/)
    expect(error).toContain(says)
  })

  it('--weights of a file that is no safetensors exits 2 with one line', async () => {
    const path = join(folder, 'text.safetensors')
    writeFileSync(path, 'not at all')
    const { status, out, error } = await call('--weights', path, ...into('never'))
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(
      /^formats: not safetensors: .*text\.safetensors \[openSafetensors: the header is longer than 100000000 bytes \[\d+\]\]\n$/,
    )
  })
  it('--out into a path that cannot be a folder exits 1 with one line', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { status, error } = await call('--only', 'mxfp4', '--data', 'normal', '--out', join(file, 'inside'))
    expect(status).toBe(1)
    expect(error).toMatch(/^formats: cannot write .* \[[^\n]+\]\n$/)
  })
})

describe('formats --measure, part of it', async () => {
  it('--only and --data choose, in the order of the report', async () => {
    const { out } = await call(
      '--json',
      '--only',
      'nvfp4,float8_e5m2',
      '--data',
      'outliers,normal',
      ...into('part'),
    )
    const { data, rows, model, finding } = parse(out)
    expect(data.map(({ name }) => name)).toEqual(['normal', 'outliers'])
    expect([...new Set(rows.map((row) => row['scheme']))]).toEqual(['float8_e5m2', 'nvfp4'])
    expect(model).toBeUndefined()
    expect(finding).toMatch(/^Normal: Most signal to noise at 8 bits float8_e5m2/)
  })
})

describe('formats --measure --weights', async () => {
  const values = normal(key(1), 64 * 32)
  const spoilt = values.slice()
  spoilt[5] = Number.POSITIVE_INFINITY
  const path = weightsFile('w.safetensors', {
    layer: values,
    small: values.map((x) => x / 1024),
    spoilt,
    zero: new Float32Array(64),
  })
  const { status, out } = await call('--json', '--weights', path, '--data', 'file', ...into('weights'))
  const { data, rows, skipped } = parse(out)

  it('measures the float tensors of the file, one by one and together', async () => {
    expect(status).toBe(0)
    expect(data.map(({ name, tensors }) => [name, tensors])).toEqual([
      ['file', ['layer [32, 64]', 'small [32, 64]']],
    ])
    const floor = rows.filter((row) => row['scheme'] === 'mxfp4' && row['way'] === 'floor')
    expect(floor.map((row) => [row['tensor'], row['values']])).toEqual([
      ['', 4096],
      ['layer', 2048],
      ['small', 2048],
    ])
    expect(floor[1]!['sqnr']).toBe(floor[2]!['sqnr'])
  })
  it('lists what it skips, with the reason', async () =>
    expect(skipped).toEqual([
      { name: 'ids', why: 'dtype I64' },
      { name: 'spoilt', why: 'holds Inf or NaN (1 values)' },
      { name: 'zero', why: 'all zeros' },
    ]))
  it('names the file without its folder, in JSON and page', async () => {
    expect(out).toContain('"file": "w.safetensors"')
    const html = readFileSync(join(folder, 'weights', 'index.html'), 'utf8')
    expect(html).toContain('the float tensors of w.safetensors')
    expect(out + html).not.toContain(folder)
  })
  it('runs made data beside the file where no data is named', async () => {
    const all = parse((await call('--json', '--weights', path, '--only', 'mxfp4', ...into('weights'))).out)
    expect(all.data.map(({ name }) => name)).toEqual(['file', ...madeNames])
  })
  it('exits 2 where nothing can be measured', async () => {
    const { status: failed, error } = await call(
      '--weights',
      weightsFile('none.safetensors', {}),
      ...into('never'),
    )
    expect(failed).toBe(2)
    expect(error).toMatch(
      /file: no float tensor can be measured \[the float tensors of none\.safetensors\]\n$/,
    )
  })
})
