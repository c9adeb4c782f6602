import { encode, fromNumber } from 'tpu-toolkit/bf16'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'
import { firstDifference, lengths, words } from './drawnCodes.js'

const engines = ['simd', 'plain'] as const
const float32 = (bits: Uint32Array) => new Float32Array(bits.slice().buffer)
const float64 = (bits: BigUint64Array) => new Float64Array(bits.slice().buffer)

describe.each(engines)('encode(values), %s', (engine) => {
  it.each([
    ['encode_f32_adversarial_bfloat16', 'encode_f32_adversarial_bfloat16', 'rne'],
    ['encode_f32_random_inputs', 'encode_f32_random_bfloat16', 'rne'],
    ['rounding_modes_bfloat16', 'rounding_modes_bfloat16', 'rne'],
  ])('equals the keys for the float32 of %s', (inputs, results, column) => {
    const values = float32(new Columns(`formats/${inputs}`).u32('input_f32'))
    const keys = new Columns(`formats/${results}`).u16(column)
    expect(firstDifference(encode(values, undefined, engine), keys)).toBeUndefined()
  })

  it('equals the keys for float64, one rounding', () => {
    const keys = new Columns('formats/encode_f64_bfloat16')
    const actual = encode(float64(keys.u64('input_f64')), undefined, engine)
    expect(firstDifference(actual, keys.u16('rne'))).toBeUndefined()
    expect(encode(Float64Array.of(1 + 2 ** -8 + 2 ** -40), undefined, engine)[0]).toBe(0x3f81)
  })

  it('rounds all 65,536 codes, their midpoints and the float64 neighbours of those as fromNumber does', () => {
    const inputs: number[] = []
    const view = new DataView(new ArrayBuffer(8))
    const neighbour = (x: number, step: bigint) => {
      view.setFloat64(0, x)
      view.setBigUint64(0, view.getBigUint64(0) + step)
      return view.getFloat64(0)
    }
    for (let code = 0; code < 65536; code++) {
      view.setUint32(0, code << 16)
      const value = view.getFloat32(0)
      view.setUint32(0, (code << 16) | 0x8000)
      const middle = view.getFloat32(0)
      if (!Number.isFinite(value)) continue
      inputs.push(value, middle, neighbour(middle, 1n), neighbour(middle, -1n))
      inputs.push(middle * (1 + 2 ** -24), middle * (1 - 2 ** -24), middle * (1 + 2 ** -25))
    }
    const actual = encode(Float64Array.from(inputs), undefined, engine)
    expect(
      firstDifference(
        actual,
        Uint16Array.from(inputs, (x) => fromNumber(x)),
      ),
    ).toBeUndefined()
  })

  it('keeps the sign of a NaN and drops its payload', () => {
    const bits = [
      0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0xff8fffff, 0x7f80ffff,
    ]
    const signs = bits.map((word) => (word >= 0x80000000 ? 0xffc0 : 0x7fc0))
    expect([...encode(float32(Uint32Array.from(bits)), undefined, engine)]).toEqual(signs)
    const wide = bits
      .map((word) => (BigInt(word | 0x7ff00000) << 32n) | 1n)
      .map((word) => BigInt.asUintN(64, word))
    expect([...encode(float64(BigUint64Array.from(wide)), undefined, engine)]).toEqual(signs)
    const lone = Float32Array.from({ length: 40 }, (_, i) => (i === 21 ? Number.NaN : i))
    expect(encode(lone, undefined, engine)[21]! & 0x7fff).toBe(0x7fc0)
  })

  it.each(lengths)('handles length %i', (length) => {
    const values = Float64Array.from({ length }, (_, i) => 1 + i / 7)
    const expected = Uint16Array.from(values, (x) => fromNumber(x))
    expect(firstDifference(encode(values, undefined, engine), expected)).toBeUndefined()
    const narrow = Float32Array.from({ length }, (_, i) => i - 100)
    const out = new Uint16Array(length + 2).fill(0xabcd)
    encode(narrow, out.subarray(1, 1 + length), engine)
    expect([out[0], out[length + 1]]).toEqual([0xabcd, 0xabcd])
    expect(
      firstDifference(
        out.subarray(1, -1),
        Uint16Array.from(narrow, (x) => fromNumber(x)),
      ),
    ).toBeUndefined()
  })

  it('may write over its own operand', () => {
    const values = Float32Array.from({ length: 40000 }, (_, i) => i / 3 - 1000)
    const expected = encode(values, undefined, 'plain')
    for (const offset of [0, 2, 39999]) {
      const own = values.slice()
      const out = new Uint16Array(own.buffer, 2 * offset, own.length)
      expect(firstDifference(encode(own, out, engine), expected)).toBeUndefined()
    }
  })

  it('throws on other arrays and on an out of another length', () => {
    expect(() => encode(new Int32Array(2) as never, undefined, engine)).toThrow(
      new TypeError('encode: values are neither Float32Array nor Float64Array [[object Int32Array]]'),
    )
    expect(() => encode(new Float32Array(2), new Uint16Array(3), engine)).toThrow(
      new RangeError('encode: out has another length than the result [3, not 2]'),
    )
  })
})

describe(`encode(values), simd beside plain (seed ${seed})`, () => {
  it('agrees on 2^22 random float32 bit patterns', () => {
    const values = new Float32Array(words(seed, 1 << 22).buffer)
    expect(firstDifference(encode(values), encode(values, undefined, 'plain'))).toBeUndefined()
  })

  it('agrees on 2^21 random float64 bit patterns, and on as many near bfloat16 ties', () => {
    const bits = words(seed + 1, 1 << 22)
    const values = new Float64Array(bits.buffer)
    expect(firstDifference(encode(values), encode(values, undefined, 'plain'))).toBeUndefined()
    // Upper words in bfloat16's range of exponents, the 45 bits behind its last one a tie or one off it.
    for (let i = 0; i < bits.length; i += 2) {
      const upper = bits[i + 1]!
      const exponent = 1023 - 160 + ((upper >>> 4) % 300)
      const lower = [0, 0, 1, 0xffffffff, 0x10000000, 0x20000000][bits[i]! % 6]!
      bits[i + 1] = ((upper & 0x80000000) | (exponent << 20) | (upper & 0xfffff & ~0x1fff) | 0x1000) >>> 0
      if (lower === 0xffffffff) bits[i + 1]! -= 1
      bits[i] = lower
    }
    expect(firstDifference(encode(values), encode(values, undefined, 'plain'))).toBeUndefined()
  })
})
