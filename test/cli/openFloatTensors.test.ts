import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PiecewiseTensor } from 'tpu-toolkit/blocks'
import { afterAll, describe, expect, it } from 'vitest'
import { BadInput, type FloatTensors, openFloatTensors } from '#cli'

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

function open<T>(use: (weights: FloatTensors) => T): T {
  const weights = openFloatTensors(path)
  try {
    return use(weights)
  } finally {
    weights.close()
  }
}

const all = (tensor: PiecewiseTensor): number[] => [...tensor.pieces()].flatMap(({ values }) => [...values])

describe('openFloatTensors, a file that safetensors wrote', () => {
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

const one = { dtype: 'F32', shape: [1], data_offsets: [0, 4] }

// What else is refused, and how it is said: test/files/safetensors.test.ts.
describe('openFloatTensors, files that are not what they say', () => {
  const refuses = (says: RegExp) => {
    expect(() => open(() => {})).toThrow(BadInput)
    expect(() => open(() => {})).toThrow(says)
  }

  it.each([
    ['a list', [], /: the header is not an object/],
    ['half a header', '{"a": {', /: the header is not JSON/],
    ['a tensor that is null', { a: null }, /: not a description of a tensor/],
    ['a negative side', { a: { ...one, shape: [-1] } }, /: /],
    ['too few bytes', { a: { ...one, shape: [2] } }, /: shape and dtype need 8 bytes, the range has 4/],
    ['a hole', { a: { ...one, data_offsets: [4, 8] } }, /: (a hole|reaches past)/],
    ['shared bytes', { a: one, b: one }, /: overlaps the tensor before it/],
    ['a dtype that is a word of the language', { a: { ...one, dtype: 'constructor' } }, /: no such dtype/],
    ['bytes that belong to nothing', {}, /: bytes after the last tensor/],
  ])('%s is refused in one line', (_, header, says) => {
    write(header, 4)
    refuses(new RegExp(`^not safetensors: .* \\[openSafetensors${says.source}[^\\n]*$`))
  })

  it.each([
    ['empty', Buffer.alloc(0), /: shorter than the 8 bytes of a header length \[0\]/],
    ['not safetensors', Buffer.from('PK\u0003\u0004 and so on'), /: the header is longer than/],
  ])('a file that is %s is refused', (_, bytes, says) => {
    writeFileSync(path, bytes)
    refuses(new RegExp(`openSafetensors${says.source}`))
  })

  it('a folder and a file that is not there are refused', () => {
    for (const [wrong, says] of [
      [folder, /EISDIR/],
      [join(folder, 'none'), /ENOENT/],
    ] as const) {
      expect(() => openFloatTensors(wrong)).toThrow(BadInput)
      expect(() => openFloatTensors(wrong)).toThrow(says)
    }
  })

  it('a file that is cut while it is read is refused', () => {
    write({ a: one }, 4)
    open(({ tensors }) => {
      truncateSync(path, 20)
      expect(() => all(tensors[0]!)).toThrow(BadInput)
    })
  })

  it('names are cut, and their control characters written out', () => {
    write({ [`\u001b[2J${'x'.repeat(200)}`]: { ...one, dtype: 'I32' } }, 4)
    expect(open(({ skipped }) => skipped[0]?.name)).toBe(`\\u{1b}[2J${'x'.repeat(88)}...`)
  })
})
