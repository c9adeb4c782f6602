import { readFileSync } from 'node:fs'
import { decode, decodeArray, decodeTable, encode, encodeArray } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { floatOfHex } from '../support/floatOfHex.js'

describe('stochastic rounding', () => {
  type Row = [string, number, number, string, string]
  const key = JSON.parse(readFileSync(new URL('../golden/formats/stochastic.json', import.meta.url), 'utf8'))

  it.each(['bfloat16', 'float8_e4m3fn'] as const)(
    'encode(x, %s) goes up for exactly the fraction of words',
    (name) => {
      for (const [hex, toward, away, numerator, denominator] of key[name] as Row[]) {
        const x = floatOfHex(hex)
        const words = (Number(numerator) / Number(denominator)) * 2 ** 32
        const at = (word: number) => encode(x, name, { rounding: 'stochastic', random: () => word })
        const cut = Math.floor(words)
        expect(at(2 ** 32 - 1)).toBe(toward)
        if (cut > 0) expect([at(0), at(cut - 1)]).toEqual([away, away])
        if (cut < 2 ** 32) expect(at(cut)).toBe(toward)
      }
    },
  )

  it('draws one word per value, whatever the value, and leaves exact values alone', () => {
    let drawn = 0
    const random = () => {
      drawn++
      return 0
    }
    const exact = Float64Array.of(1, -0, Infinity, Number.NaN, 2 ** -133, 3.5)
    const codes = encodeArray(exact, 'bfloat16', { rounding: 'stochastic', random })
    expect(drawn).toBe(exact.length)
    expect(codes).toEqual(encodeArray(exact, 'bfloat16'))
  })

  it('needs a source of uint32 words', () => {
    expect(() => encode(1, 'bfloat16', { rounding: 'stochastic' })).toThrow(
      new RangeError("encode: 'stochastic' needs random, a source of uint32 words [undefined]"),
    )
    expect(() => encode(1, 'bfloat16', { rounding: 'stochastic', random: () => 0.5 })).toThrow(
      new RangeError('encode: random gave no uint32 [0.5]'),
    )
  })
})

describe('float16 arithmetic through float64', () => {
  it.each([
    ['add', (a: number, b: number) => a + b],
    ['mul', (a: number, b: number) => a * b],
  ] as const)('encode(a %s b) equals TestFloat, NaN by class', (name, op) => {
    const key = new Columns(`formats/testfloat_f16_${name}`)
    const [a, b, result] = [key.u16('a'), key.u16('b'), key.u16('result')]
    const table = decodeTable('float16')
    for (let i = 0; i < result.length; i++) {
      const code = encode(op(table[a[i]!]!, table[b[i]!]!), 'float16')
      const expected = Number.isNaN(table[result[i]!]) ? 0x7e00 : result[i]
      if (code !== expected) expect([a[i], b[i], code]).toEqual([a[i], b[i], expected])
    }
  })
})

describe('arrays', () => {
  it('encodeArray(NaNs) keeps signs and drops payloads, from float32 and from float64', () => {
    const single = new Float32Array(Uint32Array.of(0x7f800001, 0xffc12345, 0xff800001).buffer)
    const double = new Float64Array(
      BigUint64Array.of(0x7ff0000000000001n, 0xfff8000000000000n, 0xfff123456789abcdn).buffer,
    )
    for (const values of [single, double]) {
      expect(Array.from(encodeArray(values, 'bfloat16'))).toEqual([0x7fc0, 0xffc0, 0xffc0])
      expect(Array.from(encodeArray(values, 'float8_e4m3fn'))).toEqual([0x7f, 0xff, 0xff])
      expect(Array.from(encodeArray(values, 'float8_e5m2fnuz'))).toEqual([0x80, 0x80, 0x80])
      expect(Array.from(encodeArray(values, 'float4_e2m1fn'))).toEqual([8, 0, 0])
    }
  })

  it('decodeArray(codes) keeps the sign of NaN', () => {
    const out = decodeArray(Uint16Array.of(0x7f81, 0xff81), 'bfloat16')
    expect(Array.from(new Uint32Array(out.buffer))).toEqual([0x7fc00000, 0xffc00000])
    // The one NaN of a fnuz format has no sign to keep.
    const unsigned = decodeArray(Uint8Array.of(0x80), 'float8_e4m3fnuz')
    expect(Array.from(new Uint32Array(unsigned.buffer))).toEqual([0x7fc00000])
  })

  it('encodeArray and decodeArray write into out, also into part of a buffer', () => {
    const codes = new Uint16Array(4)
    const part = codes.subarray(1, 3)
    expect(encodeArray(Float32Array.of(0, 1, 2, 3).subarray(1, 3), 'bfloat16', undefined, part)).toBe(part)
    expect(Array.from(codes)).toEqual([0, 0x3f80, 0x4000, 0])
    const values = new Float32Array(4)
    expect(Array.from(decodeArray(part, 'bfloat16', values.subarray(1, 3)))).toEqual([1, 2])
    expect(Array.from(values)).toEqual([0, 1, 2, 0])
    expect(encodeArray(new Float64Array(0), 'float16').length).toBe(0)
  })

  it('refuse wrong kinds and lengths', () => {
    const one = Float32Array.of(1)
    expect(() => encodeArray(one, 'bfloat16', undefined, new Uint8Array(1))).toThrow(
      new TypeError('encodeArray: out is no Uint16Array, which bfloat16 needs [object]'),
    )
    expect(() => encodeArray(one, 'bfloat16', undefined, new Uint16Array(2))).toThrow(
      new RangeError('encodeArray: lengths differ [values 1, out 2]'),
    )
    // @ts-expect-error a plain list is no typed array
    expect(() => encodeArray([1], 'bfloat16')).toThrow(TypeError)
    expect(() => decodeArray(Uint8Array.of(16), 'float4_e2m1fn')).toThrow(
      new RangeError('decodeArray: code outside 0..15 of float4_e2m1fn [16]'),
    )
    expect(() => decodeArray(Uint8Array.of(1), 'float8_e5m2', new Float32Array(2))).toThrow(
      new RangeError('decodeArray: lengths differ [codes 1, out 2]'),
    )
    expect(() => decode(300, 'float8_e4m3fn')).toThrow(
      new RangeError('decode: code outside 0..255 of float8_e4m3fn [300]'),
    )
    expect(() => decode(0.5, 'bfloat16')).toThrow(RangeError)
    // @ts-expect-error no such mode
    expect(() => encode(1, 'bfloat16', { rounding: 'nearest' })).toThrow(
      /^encode: rounding is none of nearest-even .* \[nearest\]$/,
    )
  })
})
