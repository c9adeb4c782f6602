import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quantizationWays } from 'tpu-toolkit/blocks'
import { encodeSafetensors, writeSafetensors } from 'tpu-toolkit/files'
import { tensor, transpose } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const golden = new URL('../golden/files/', import.meta.url)
const weights = fileURLToPath(new URL('weights.safetensors', golden))
const folder = mkdtempSync(join(tmpdir(), 'quantize-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Told {
  readonly tensor: string
  readonly scheme: string
  readonly way: string
  readonly bits: number
  readonly count: number
  readonly [measure: string]: number | string | null
}
interface Results {
  readonly file: string
  readonly tensors: readonly {
    name: string
    dtype: string
    shape: number[]
    values: number
    notFinite: number
  }[]
  readonly skipped: readonly { name: string; why: string }[]
  readonly rows: readonly Told[]
  readonly totals: readonly (Told & { readonly worst: { tensor: string; sqnr: number | null } })[]
}

async function json(...args: string[]): Promise<Results> {
  const { status, out, error } = await runCli('quantize', '--json', ...args)
  expect({ status, error }).toEqual({ status: 0, error: '' })
  return JSON.parse(out)
}

describe('quantize, weights that were trained and written in Python', async () => {
  const key: { fields: string[]; rows: (string | number | null)[][] } = JSON.parse(
    readFileSync(new URL('weights.json', golden), 'utf8'),
  )
  const { tensors, skipped, rows: all, totals } = await json(weights, '--all', '--way', 'all')
  // The storage formats have their own keys, test/golden/storage.
  const stored = new Set(
    quantizationWays
      .filter(({ family }) => family === 'GGUF' || family === 'bitsandbytes')
      .map(({ scheme, way }) => `${scheme} ${way}`),
  )
  const rows = all.filter(({ scheme, way }) => !stored.has(`${scheme} ${way}`))
  const told = new Map(rows.map((row) => [`${row.tensor} ${row.scheme} ${row.way}`, row]))
  const expected = key.rows.map((row) => Object.fromEntries(key.fields.map((field, i) => [field, row[i]])))

  it('tells of every tensor and way that NumPy and ml_dtypes were asked for', () => {
    const names = expected.map((row) => `${row['tensor']} ${row['scheme']} ${row['way']}`)
    expect(new Set(names)).toEqual(new Set(told.keys()))
    expect(rows).toHaveLength(names.length)
    expect(rows).toHaveLength(tensors.length * (quantizationWays.length - stored.size))
  })

  it('counts what they count, and has their largest error to the bit', () => {
    for (const row of expected) {
      const name = `${row['tensor']} ${row['scheme']} ${row['way']}`
      const mine = told.get(name)!
      const count = Number(row['count'])
      expect(mine.count, name).toBe(count)
      for (const measure of ['clipped', 'underflowed', 'overflowed']) {
        expect(mine[measure], `${name} ${measure}`).toBe(Number(row[measure]) / count)
      }
      expect(mine['maxError'], name).toBe(row['maxError'])
    }
  })

  it('has their sums: float64 additions, at most 1480 one after the other', () => {
    // Relative, of sums of one sign; SQNR in dB: 10 / ln 10 times that of a quotient of two.
    const tolerance = 2 * 1480 * 2 ** -53
    for (const row of expected) {
      const name = `${row['tensor']} ${row['scheme']} ${row['way']}`
      const mine = told.get(name)!
      if (row['maxError'] === null) {
        expect([mine['sqnr'], mine['meanAbsoluteError'], mine['rmsError']], name).toEqual([null, null, null])
        continue
      }
      for (const measure of ['meanAbsoluteError', 'rmsError'] as const) {
        expect(
          near(mine[measure], row[measure], tolerance * Number(row[measure])),
          `${name} ${measure}`,
        ).toBe(true)
      }
      expect(
        near(mine['meanError'], row['meanError'], tolerance * Number(row['meanAbsoluteError'])),
        name,
      ).toBe(true)
      if (row['sqnr'] === null) expect([mine['sqnr'], mine['rmsError']], name).toEqual([null, 0])
      else expect(near(mine['sqnr'], row['sqnr'], 10 * tolerance), name).toBe(true)
    }
  })

  it('names what it leaves out, with the reason', () =>
    expect([...skipped].sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'empty', why: 'no values' },
      { name: 'lost', why: 'no finite value' },
      { name: 'mask', why: 'dtype BOOL' },
      { name: 'step', why: 'dtype I64' },
    ]))

  it('says what the tensors are', () => {
    expect(tensors.find(({ name }) => name === 'layers.1.kernel')).toEqual({
      ...{ name: 'layers.1.kernel', dtype: 'bfloat16', shape: [40, 37], values: 1480, notFinite: 0 },
    })
    expect(tensors.find(({ name }) => name === 'spoilt')).toMatchObject({ values: 99, notFinite: 2 })
  })

  it('of all tensors together counts all, and names the one of least SQNR', () => {
    for (const total of totals) {
      const mine = all.filter(({ scheme, way }) => scheme === total.scheme && way === total.way)
      const sum = (of: (row: Told) => number) => mine.reduce((result, row) => result + of(row), 0)
      expect(total.count).toBe(sum(({ count }) => count))
      const clipped = sum((row) => Math.round(row.count * Number(row['clipped'])))
      expect(total['clipped']).toBe(clipped / total.count)
      const bits = sum((row) => row.count * row.bits) / total.count
      expect(near(total.bits, bits, 1e-12)).toBe(true)
      if (total['overflowed'] === 0) {
        const finite = mine.filter(({ rmsError }) => rmsError !== 0)
        const least = Math.min(...finite.map((row) => Number(row['sqnr'])))
        expect(total.worst.sqnr).toBe(finite.length > 0 ? least : null)
        const error = Math.max(...mine.map((row) => Number(row['maxError'])))
        expect(total['maxError']).toBe(error)
      } else {
        expect(total.worst.sqnr).toBeNull()
      }
    }
  })
})

const near = (a: unknown, b: unknown, within: number): boolean => Math.abs(Number(a) - Number(b)) <= within

describe('quantize, what it takes', () => {
  const ways = async (...args: string[]) =>
    (await json(weights, ...args)).totals.map(({ scheme, way }) => `${scheme} ${way}`)

  it('mxfp4 by the rule floor is what it quantises to where nothing is said', async () =>
    expect(await ways()).toEqual(['mxfp4 floor']))
  it('--format takes several names, and the beginning of several', async () => {
    expect(await ways('--format', 'nvfp4, mxfp8,float8_e5m2')).toEqual([
      ...['float8_e5m2 plain', 'mxfp8_e4m3 floor', 'mxfp8_e5m2 floor', 'nvfp4 two levels'],
    ])
    expect(await ways('--format', 'mxfp6')).toEqual(['mxfp6_e2m3 floor', 'mxfp6_e3m2 floor'])
    expect(await ways('--format', 'float4')).toEqual(['float4_e2m1fn plain'])
  })
  it('--way chooses, and leaves a scheme its usual way that has none of those', async () => {
    expect(await ways('--format', 'nvfp4,mxfp4,float16', '--way', 'scaled,one-level')).toEqual([
      ...['float16 scaled', 'mxfp4 floor', 'nvfp4 one level'],
    ])
    expect(await ways('--format', 'nvfp4', '--way', 'all')).toEqual(['nvfp4 one level', 'nvfp4 two levels'])
  })
  it('--all takes every format and scheme', async () =>
    expect(new Set((await ways('--all')).map((name) => name.split(' ')[0]))).toEqual(
      new Set(quantizationWays.map(({ scheme }) => scheme)),
    ))

  it('storage formats go by the names of ggml and bitsandbytes, with the bits of their scales', async () => {
    const { totals } = await json(weights, '--format', 'q4_0,q4_k,iq4_xs,nf4,mxfp4,int8')
    expect(totals.map(({ scheme, way }) => `${scheme} ${way}`)).toEqual([
      ...['mxfp4 floor', 'q4_0 stored', 'q4_k stored', 'iq4_xs stored', 'nf4 stored', 'int8 rows'],
    ])
    expect(await ways('--format', 'mxfp4', '--way', 'ggml')).toEqual(['mxfp4 ggml'])
  })
  it('a GGUF file is read as what its tensors decode to, and named by their types', async () => {
    const small = fileURLToPath(new URL('../golden/files/small.gguf', import.meta.url))
    const { tensors, skipped, rows } = await json(small, '--format', 'q8_0,q4_0')
    expect(tensors.map(({ name, dtype }) => `${name} ${dtype}`)).toContain('q4_1 Q4_1')
    expect(skipped.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      ...['i32: dtype I32', 'i8: dtype I8', 'tq2_0: dtype TQ2_0'],
    ])
    // What q4_0 made of weights is a fixed point of q8_0 no more, of q4_0 nearly: its scale was rounded to float16.
    const sqnr = (tensor: string, scheme: string) =>
      Number(rows.find((row) => row.tensor === tensor && row.scheme === scheme)!['sqnr'])
    expect(sqnr('f32', 'q8_0')).toBeGreaterThan(sqnr('f32', 'q4_0') + 20)
    const broken = await runCli(
      'quantize',
      fileURLToPath(new URL('../golden/files/small.gguf.json', import.meta.url)),
    )
    expect(broken.status).toBe(2)
  })

  it('prints a table of tensors, one of them together, what is left out, and what it means', async () => {
    const { status, out, error } = await runCli('quantize', weights, '--format', 'float4_e2m1fn')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    expect(out).toMatch(/^tensor +shape +dtype +format +bits +SQNR dB +clipped +underflowed +max error/)
    expect(out).toMatch(/^layers\.0\.kernel +\[8, 40\] +float32 +float4_e2m1fn plain +4 +[\d.]+ /m)
    expect(out).toMatch(/^zeros .* exact /m)
    expect(out).toMatch(/^Together, 12 tensors and [\d,]+ values:$/m)
    expect(out).toMatch(/^Left out:\n( {2}\w+: [^\n]+\n){4}/m)
    expect(out).toContain('SQNR is the sum of squares over that of the errors')
    const spoilt = (await runCli('quantize', weights, '--format', 'float8_e4m3fn')).out
    expect(spoilt).toMatch(/overflowed/)
    expect(spoilt).toMatch(/^spoilt .* - .* inf +2$/m)
  })

  it('--out writes a page that needs nothing else, with every tensor', async () => {
    const path = join(folder, 'page.html')
    const { status, out } = await runCli('quantize', weights, '--format', 'mxfp8,nvfp4', '--out', path)
    expect(status).toBe(0)
    expect(out).toContain(`Written: ${path}`)
    const html = readFileSync(path, 'utf8')
    expect(html).toContain('<title>Quantised: weights.safetensors</title>')
    expect(html).toContain('<td>adam.nu.layers.0.kernel</td>')
    expect(html).toContain('<td>dtype I64</td>')
    expect(/(>NaN<|undefined|<script\s|https?:\/\/(?!www\.w3\.org))/.exec(html)).toBeNull()
    const failed = await runCli('quantize', weights, '--out', join(weights, 'page.html'))
    expect([failed.status, failed.out]).toEqual([1, ''])
    expect(failed.error).toMatch(/^quantize: cannot write [^\n]+page\.html \[E[^\n]+\]\n$/)
  })

  it('names that would move the cursor, or make a page of their own, are written out', async () => {
    const path = join(folder, 'names.safetensors')
    writeSafetensors(path, { '\u001b[2J<b>': tensor([1, 2]) })
    const page = join(folder, 'names.html')
    const { out } = await runCli('quantize', path, '--out', page)
    expect(out).toContain('\\u{1b}[2J<b>')
    expect(out).not.toContain('\u001b')
    expect(readFileSync(page, 'utf8')).toContain('\\u{1b}[2J&lt;b&gt;')
  })
})

describe('quantize, what it refuses', () => {
  const file = (name: string, bytes: Uint8Array | string): string => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return path
  }
  const good = Buffer.from(encodeSafetensors({ x: tensor([1, 2, 3, 4]) }))
  it.each<[what: string, args: string[], says: RegExp]>([
    ['no file named', [], /missing required argument 'file'/],
    ['two files', [weights, weights], /too many arguments/],
    ['a file that is not there', [join(folder, 'none')], /cannot read: .*none \[ENOENT: no such file/],
    ['a folder', [folder], /cannot read: .* \[EISDIR/],
    [
      'a text',
      [file('text', 'not at all a tensor')],
      /not safetensors: .*text \[openSafetensors: the header is longer than 100000000/,
    ],
    ['nothing', [file('empty', '')], /\[openSafetensors: shorter than the 8 bytes/],
    [
      'a file cut in two',
      [file('cut', good.subarray(0, good.length - 3))],
      /\[openSafetensors: reaches past/,
    ],
    [
      'a header that is not JSON',
      [file('header', withHeader('{"x":'))],
      /\[openSafetensors: the header is not JSON/,
    ],
    ['no tensors', [file('none.st', encodeSafetensors({}))], /no float tensor to quantize \[no tensors\]/],
    [
      'no float tensors',
      [file('ints', encodeSafetensors({ a: tensor([1], { dtype: 'int32' }) }))],
      /no float tensor to quantize \[a: dtype I32\]/,
    ],
    [
      'nothing finite',
      [file('nan', encodeSafetensors({ a: tensor([Number.NaN]) }))],
      /no float tensor to quantize \[a: no finite value\]/,
    ],
    [
      'an unknown format',
      [weights, '--format', 'mxfp4,fp8'],
      /unknown format \[fp8\], did you mean float8_e4m3fn, there are bfloat16,/,
    ],
    ['no format', [weights, '--format', ''], /unknown format \[\], there are/],
    [
      'an unknown way',
      [weights, '--way', 'up'],
      /unknown way \[up\], there are plain, saturating, scaled, floor/,
    ],
    ['--all and --format', [weights, '--all', '--format', 'mxfp4'], /--all and --format exclude each other/],
    ['an unknown option', [weights, '--fast'], /unknown option '--fast'/],
  ])('%s exits 2 with one line', async (_, args, says) => {
    const { status, out, error } = await runCli('quantize', ...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(/^quantize: [^\n]+\n$/)
    expect(error.trimEnd()).toMatch(says)
  })

  it('codes that are none of the dtype are bad input too', async () => {
    const path = file('codes', encodeSafetensors({ x: tensor([1, 2], { dtype: 'float4_e2m1fn' }) }))
    const bytes = readFileSync(path)
    bytes[bytes.length - 1] = 200
    writeFileSync(path, bytes)
    const { status, error } = await runCli('quantize', path)
    expect(status).toBe(2)
    expect(error).toMatch(
      /^quantize: cannot read: .* \[readElements: not a code of float4_e2m1fn in x \[200\]\]\n$/,
    )
  })
})

function withHeader(text: string): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, Buffer.from(text)])
}

describe('quantize, dist/cli/main.js as tsc -b leaves it', () => {
  it('reads a single tensor of 90 MB within 300 MB of memory', () => {
    const path = join(folder, 'large.safetensors')
    const values = 23_000_000
    const header = `{"w":{"dtype":"F32","shape":[1,${values}],"data_offsets":[0,${4 * values}]}}`
    const opened = openSync(path, 'w')
    writeSync(opened, withHeader(header))
    const part = Float32Array.from({ length: values / 46 }, (_, i) => Math.sin(i) * 2 ** (i % 9))
    for (let i = 0; i < 46; i++) writeSync(opened, new Uint8Array(part.buffer))
    closeSync(opened)
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
    const program = `process.argv.splice(1, 1, ${JSON.stringify(main)})
      process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)))
      await import(${JSON.stringify(new URL('../../dist/cli/main.js', import.meta.url).href)})`
    const args = ['--input-type=module', '-e', program, '--', 'main', 'quantize', path, '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(JSON.parse(stdout).totals[0]).toMatchObject({ scheme: 'mxfp4', count: values })
    // Kibibytes.
    expect(Number(stderr) / 1024).toBeLessThan(300)
    expect(Number(stderr) / 1024).toBeGreaterThan(30)
  })
})

describe('quantize --axis', () => {
  it('is the last axis of the transposed weights', async () => {
    const values = Array.from({ length: 64 * 40 }, (_, i) => Math.sin(i * 12.9898) * 2 ** (i % 40))
    const w = tensor(values, { shape: [64, 40] })
    const [upright, turned] = [join(folder, 'w.safetensors'), join(folder, 'turned.safetensors')]
    writeFileSync(upright, encodeSafetensors({ w }))
    writeFileSync(turned, encodeSafetensors({ w: transpose(w) }))
    const along = await json(upright, '--format', 'mxfp4', '--axis', '0')
    const last = await json(turned, '--format', 'mxfp4')
    const plain = await json(upright, '--format', 'mxfp4')
    expect(along.rows).toEqual(last.rows)
    expect(along.rows).not.toEqual(plain.rows)
    expect(along.tensors[0]?.shape).toEqual([64, 40])
    expect(await runCli('quantize', upright, '--axis', 'x')).toMatchObject({ status: 2 })
  })
})
