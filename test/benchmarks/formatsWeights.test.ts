import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { key, normal } from 'tpu-toolkit/random'
import { afterAll, describe, expect, it } from 'vitest'
import type { DataTensor } from '../../benchmarks/formats/dataSet.js'
import { openWeights, type Weights, WeightsError } from '../../benchmarks/formats/weights.js'
import { seed } from '../support/seed.js'

const folder = mkdtempSync(join(tmpdir(), 'weights-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'a.safetensors')

// safetensors 0.6.2 wrote this (Python, safetensors.serialize): [[1.5, -2, 0], [float32(0.1), float32(3e-5), -448]]
// cast by NumPy and ml_dtypes 0.6.0 to six dtypes, three integers, an empty tensor and a scalar.
const written =
  'YAIAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJmb3JtYXQiOiJwdCJ9LCJnLmk2NCI6eyJkdHlwZSI6Ikk2NCIsInNoYXBlIjpbM10sImRhdGFfb2Zmc2V0cyI6WzAsMjRdfSwiZi5mNjQiOnsiZHR5cGUiOiJGNjQiLCJzaGFwZSI6WzIsM10sImRhdGFfb2Zmc2V0cyI6WzI0LDcyXX0sImEuZjMyIjp7ImR0eXBlIjoiRjMyIiwic2hhcGUiOlsyLDNdLCJkYXRhX29mZnNldHMiOls3Miw5Nl19LCJoLmVtcHR5Ijp7ImR0eXBlIjoiRjMyIiwic2hhcGUiOlswLDRdLCJkYXRhX29mZnNldHMiOls5Niw5Nl19LCJpLnNjYWxhciI6eyJkdHlwZSI6IkYzMiIsInNoYXBlIjpbXSwiZGF0YV9vZmZzZXRzIjpbOTYsMTAwXX0sImMuYmYxNiI6eyJkdHlwZSI6IkJGMTYiLCJzaGFwZSI6WzIsM10sImRhdGFfb2Zmc2V0cyI6WzEwMCwxMTJdfSwiYi5mMTYiOnsiZHR5cGUiOiJGMTYiLCJzaGFwZSI6WzIsM10sImRhdGFfb2Zmc2V0cyI6WzExMiwxMjRdfSwiZC5lNG0zIjp7ImR0eXBlIjoiRjhfRTRNMyIsInNoYXBlIjpbMiwzXSwiZGF0YV9vZmZzZXRzIjpbMTI0LDEzMF19LCJlLmU1bTIiOnsiZHR5cGUiOiJGOF9FNU0yIiwic2hhcGUiOlsyLDNdLCJkYXRhX29mZnNldHMiOlsxMzAsMTM2XX19ICAgICAgIAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAAAAAAAAPg/AAAAAAAAAMAAAAAAAAAAAAAAAKCZmbk/AAAAQBB1/z4AAAAAAAB8wAAAwD8AAADAAAAAAM3MzD2CqPs3AADgwwAAIEDAPwDAAADNPfw34MMAPgDAAABmLvcBAN88wAAdAP4+wAAuAt8='

/** A file of this header and so many bytes. */
function write(header: unknown, bytes: Uint8Array | number = 0): void {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  writeFileSync(path, Buffer.concat([length, text, typeof bytes === 'number' ? Buffer.alloc(bytes) : bytes]))
}

function open<T>(use: (weights: Weights) => T): T {
  const weights = openWeights(path)
  try {
    return use(weights)
  } finally {
    weights.close()
  }
}

const all = (tensor: DataTensor): number[] => [...tensor.pieces()].flatMap(({ values }) => [...values])

describe('openWeights, a file that safetensors wrote', () => {
  writeFileSync(path, Buffer.from(written, 'base64'))
  const { tensors, skipped } = open((weights) => ({
    tensors: new Map(
      weights.tensors.map((tensor) => [tensor.name, { shape: tensor.shape, values: all(tensor) }]),
    ),
    skipped: weights.skipped,
  }))

  it.each([
    ['a.f32', Math.fround(0.1), Math.fround(3e-5)],
    ['b.f16', 0.0999755859375, 2.9981136322021484e-5],
    ['c.bf16', 0.10009765625, 3.0040740966796875e-5],
    ['d.e4m3', 0.1015625, 0],
    ['e.e5m2', 0.09375, 3.0517578125e-5],
    ['f.f64', Math.fround(0.1), Math.fround(3e-5)],
  ])('%s has the values that were written', (name, tenth, small) =>
    expect(tensors.get(name)).toEqual({ shape: [2, 3], values: [1.5, -2, 0, tenth, small, -448] }),
  )
  it('a scalar is one value', () => expect(tensors.get('i.scalar')).toEqual({ shape: [], values: [2.5] }))
  it('integers and empty tensors are listed as skipped, with the reason', () =>
    expect(skipped).toEqual([
      { name: 'g.i64', why: 'dtype I64' },
      { name: 'h.empty', why: 'no values' },
    ]))
})

describe(`openWeights, pieces (seed ${seed})`, () => {
  const values = normal(key(seed), 600_000)
  const bytes = new Uint8Array(values.buffer)
  it.each([
    ['rows longer than a piece', [2, 300_000], [262_144, 37_856, 262_144, 37_856], [262_144, 37_856]],
    ['rows shorter than a piece', [200, 3_000], [261_000, 261_000, 78_000], [3_000, 3_000, 3_000]],
    ['one row', [600_000], [262_144, 262_144, 75_712], [262_144, 262_144, 75_712]],
  ])('%s come in whole rows or in stretches of one', (_, shape, counts, lengths) => {
    write({ a: { dtype: 'F32', shape, data_offsets: [0, 2_400_000] } }, bytes)
    open(({ tensors }) => {
      const pieces = [...tensors[0]!.pieces()]
      expect(pieces.map((piece) => piece.values.length)).toEqual(counts)
      expect(pieces.map((piece) => piece.rowLength).slice(0, lengths.length)).toEqual(lengths)
      const read = all(tensors[0]!)
      expect(read).toHaveLength(values.length)
      expect(read.findIndex((x, i) => x !== values[i])).toBe(-1)
    })
  })
})

const one = { dtype: 'F32', shape: [1], data_offsets: [0, 4] }

describe('openWeights, files that are not what they say', () => {
  const refuses = (says: RegExp) => {
    expect(() => open(() => {})).toThrow(WeightsError)
    expect(() => open(() => {})).toThrow(says)
  }

  it.each([
    ['a list', [], /^header is not a JSON object$/],
    ['null', 'null', /^header is not a JSON object$/],
    ['half a header', '{"a": {', /^header is not JSON$/],
    ['brackets a million deep', '['.repeat(1_000_000), /^header is not JSON$/],
    ['a tensor that is a number', { a: 1 }, /^tensor is not described by an object \[a\]$/],
    ['a tensor that is null', { a: null }, /^tensor is not described by an object \[a\]$/],
    ['a dtype that is a number', { a: { ...one, dtype: 4 } }, /^dtype is not a word \[a\]$/],
    ['a negative side', { a: { ...one, shape: [-1] } }, /^shape is not a list of whole numbers \[a\]$/],
    ['half a side', { a: { ...one, shape: [0.5] } }, /^shape is not a list of whole numbers \[a\]$/],
    [
      'a side beyond 2^53',
      '{"a":{"dtype":"F32","shape":[1e300],"data_offsets":[0,4]}}',
      /^shape is not a list/,
    ],
    ['no shape', { a: { dtype: 'F32', data_offsets: [0, 4] } }, /^shape is not a list/],
    ['one offset', { a: { ...one, data_offsets: [0] } }, /^data_offsets are not two whole numbers \[a\]$/],
    ['a negative offset', { a: { ...one, data_offsets: [-4, 0] } }, /^data_offsets are not two/],
    [
      'offsets the wrong way',
      { a: { ...one, data_offsets: [4, 0] } },
      /as its shape asks for \[a: F32 \[1\] at 4 \.\.\. 0\]$/,
    ],
    ['too few bytes', { a: { ...one, shape: [2] } }, /as its shape asks for \[a: F32 \[2\] at 0 \.\.\. 4\]$/],
    [
      'too many bytes',
      { a: { ...one, shape: [0] } },
      /as its shape asks for \[a: F32 \[0\] at 0 \.\.\. 4\]$/,
    ],
    ['a product beyond 2^53', { a: { ...one, shape: [2 ** 50, 2 ** 50] } }, /as its shape asks for/],
    [
      'a hole',
      { a: { ...one, data_offsets: [4, 8] } },
      /^tensor leaves a hole before it \[a: at 4, not 0\]$/,
    ],
    ['shared bytes', { a: one, b: one }, /^tensor shares bytes with another \[b: at 0, not 4\]$/],
    [
      'a key twice',
      '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
      /^tensor leaves a hole/,
    ],
    [
      'bytes beyond the file',
      { a: { ...one, shape: [100], data_offsets: [0, 400] } },
      /^tensors do not end where the file does \[400, not 4\]$/,
    ],
    ['bytes that belong to nothing', {}, /^tensors do not end where the file does \[0, not 4\]$/],
  ])('%s is refused', (_, header, says) => {
    write(header, 4)
    refuses(says)
  })

  it.each([
    ['empty', Buffer.alloc(0), /^is too short for a header \[0 bytes\]$/],
    ['7 bytes', Buffer.alloc(7), /^is too short for a header \[7 bytes\]$/],
    [
      'a header longer than the file',
      Buffer.from('0900000000000000', 'hex'),
      /^header is longer than the file \[9 of 8 bytes\]$/,
    ],
    [
      'a header of 2^64 - 1 bytes',
      Buffer.alloc(8, 0xff),
      /^header is longer than 100000000 bytes \[18446744073709551615\]$/,
    ],
    ['a header of nothing', Buffer.alloc(8), /^header is not JSON$/],
    ['a header that is not UTF-8', Buffer.from('0400000000000000227bff22', 'hex'), /^header is not JSON$/],
  ])('a file that is %s is refused', (_, bytes, says) => {
    writeFileSync(path, bytes)
    refuses(says)
  })

  it('a folder and a file that is not there are refused', () => {
    expect(() => openWeights(folder)).toThrow('is not a file')
    expect(() => openWeights(join(folder, 'none'))).toThrow(/^cannot be opened: ENOENT/)
  })

  it('names that are words of the language, and dtypes that are, harm nothing', () => {
    write('{"__proto__":{"dtype":"constructor","shape":[1],"data_offsets":[0,4]}}', 4)
    expect(open(({ skipped }) => skipped)).toEqual([{ name: '__proto__', why: 'dtype constructor' }])
  })
  it('names are cut, and their control characters written out', () => {
    write({ [`\u001b[2J${'x'.repeat(200)}`]: { ...one, dtype: 'I32' } }, 4)
    expect(open(({ skipped }) => skipped[0]?.name)).toBe(`\\u{1b}[2J${'x'.repeat(88)}...`)
  })
})
