import { decode, decodeArray, format, formatNames, isNaNCode } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { firstDifference } from '../bf16/drawnCodes.js'

const bitsOf = (values: Float32Array) => new Uint32Array(values.buffer, values.byteOffset, values.length)

/** Float32 bits by the scalar reference; a NaN keeps its sign and loses its payload. */
function expected(codes: Uint8Array | Uint16Array, name: (typeof formatNames)[number]): Uint32Array {
  const record = format(name)
  const values = Float32Array.from(codes, (code) => decode(code, name))
  const bits = bitsOf(values)
  codes.forEach((code, i) => {
    if (!isNaNCode(code, record)) return
    bits[i] = (code & record.signMask) !== 0 && record.nan !== 'negative-zero' ? 0xffc00000 : 0x7fc00000
  })
  return bits
}

/** All codes, out of order. */
const every = (
  length: number,
  name: (typeof formatNames)[number],
  Codes: typeof Uint8Array | typeof Uint16Array,
) => new Codes(length).map((_, i) => (i * 40503) % 2 ** format(name).bits)

describe.each(formatNames)('decodeArray(codes), %s', (name) => {
  const { bits } = format(name)

  it.each([1, 2047, 2048, 4095, 4096, 4097, 70001])('equals decode over %i codes', (length) => {
    for (const Codes of bits <= 8 ? [Uint8Array, Uint16Array] : [Uint16Array]) {
      const codes = every(length + 1, name, Codes).subarray(1)
      const out = new Float32Array(length + 2).fill(7)
      decodeArray(codes, name, out.subarray(1, -1))
      expect([out[0], out[length + 1]]).toEqual([7, 7])
      expect(firstDifference(bitsOf(out.subarray(1, -1)), expected(codes, name))).toBeUndefined()
    }
  })

  it('may write over its own operand', () => {
    const length = 9000
    for (const offset of [0, 2, 2 * length]) {
      const buffer = new ArrayBuffer(4 * length + 4)
      const codes =
        bits <= 8 ? new Uint8Array(buffer, offset, length) : new Uint16Array(buffer, offset, length)
      codes.set(every(length, name, Uint16Array))
      const key = expected(codes, name)
      expect(
        firstDifference(bitsOf(decodeArray(codes, name, new Float32Array(buffer, 0, length))), key),
      ).toBeUndefined()
    }
  })
})

describe.each(formatNames.filter((name) => format(name).bits < 8))('decodeArray(codes), %s', (name) => {
  it('refuses a code outside the format wherever it stands, and only then', () => {
    for (const length of [10, 3000]) {
      const wrong = 2 ** format(name).bits
      for (const place of [0, length - 1]) {
        const codes = every(length, name, Uint8Array)
        codes[place] = wrong
        expect(() => decodeArray(codes, name)).toThrow(
          new RangeError(`decodeArray: code outside 0..${wrong - 1} of ${name} [${wrong}]`),
        )
      }
      // Shorter by two, so that what is left of the wrong one lies right behind the last code.
      expect(() => decodeArray(every(length - 2, name, Uint8Array), name)).not.toThrow()
    }
  })
})
