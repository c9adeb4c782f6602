import { decode } from 'tpu-toolkit/bf16'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { firstDifference, lengths, unaligned } from './drawnCodes.js'

const every = Uint16Array.from({ length: 65536 }, (_, code) => code)
const bitsOf = (values: Float32Array) => new Uint32Array(values.buffer, values.byteOffset, values.length)

describe('decode(codes)', () => {
  it('equals the keys for all 65,536 codes, NaN payloads as they are', () => {
    const keys = new Columns('formats/decode_bfloat16').u32('value_f32_bits').slice()
    for (let code = 0; code < 65536; code++) if ((code & 0x7fff) > 0x7f80) keys[code] = code << 16
    expect(firstDifference(bitsOf(decode(every)), keys)).toBeUndefined()
  })

  it.each(lengths)('handles length %i, unaligned, writing nothing beside out', (length) => {
    const codes = Uint16Array.from({ length }, (_, i) => i * 40503 + 1)
    const expected = Uint32Array.from(codes, (code) => code << 16)
    const out = new Float32Array(length + 2).fill(7)
    decode(unaligned(codes), out.subarray(1, 1 + length))
    expect([out[0], out[length + 1]]).toEqual([7, 7])
    expect(firstDifference(bitsOf(out.subarray(1, 1 + length)), expected)).toBeUndefined()
  })

  it('may write over its own operand', () => {
    for (const offset of [0, 1, 70001]) {
      const buffer = new ArrayBuffer(4 * 70002)
      const codes = new Uint16Array(buffer, 2 * offset, 70000)
      codes.set(codes.map((_, i) => i * 40503 + 1))
      const expected = Uint32Array.from(codes, (code) => code << 16)
      const out = decode(codes, new Float32Array(buffer, 0, 70000))
      expect(firstDifference(bitsOf(out), expected)).toBeUndefined()
    }
  })

  it('throws on an out of another length', () => {
    expect(() => decode(new Uint16Array(2), new Float32Array(1))).toThrow(
      new RangeError('decode: out has another length than the result [1, not 2]'),
    )
  })
})
