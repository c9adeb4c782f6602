import { compareCodes, decode, describe as describeCode, type FloatFormat } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { shapes } from './shapes.js'

/** Where totalOrder puts a code, from what it means: a group, then within the group. */
function place(code: number, format: FloatFormat): readonly [number, number] {
  const { class: kind, sign, mantissa, exponent } = describeCode(code, format)
  const value = decode(code, format)
  const negative = sign === 1 && format.nan !== 'negative-zero'
  if (kind === 'nan') return [negative ? -3 : 3, (negative ? -1 : 1) * (exponent * 2 ** 16 + mantissa)]
  if (value === 0) return [0, Object.is(value, -0) ? -1 : 1]
  return [Math.sign(value), value]
}

describe.each(shapes.map((record) => [record.name, record] as const))('%s', (_, record) => {
  it('compareCodes sorts every code by what it means: -NaN, numbers, -0 before 0, NaN', () => {
    const codes = Array.from({ length: 2 ** record.bits }, (_, code) => code)
    const expected = codes
      .map((code) => ({ code, at: place(code, record) }))
      .sort((a, b) => a.at[0] - b.at[0] || (a.at[1] === b.at[1] ? 0 : a.at[1] < b.at[1] ? -1 : 1))
      .map(({ code }) => code)
    expect(codes.sort((a, b) => compareCodes(a, b, record))).toEqual(expected)
    expect(compareCodes(1, 1, record)).toBe(0)
  })
})

describe('compareCodes', () => {
  it('puts signalling NaNs nearer to the numbers than quiet ones, of both signs', () => {
    const nans = [0x7c, 0x7d, 0x7e, 0x7f, 0xfc, 0xfd, 0xfe, 0xff]
    expect(nans.sort((a, b) => compareCodes(a, b, 'float8_e5m2'))).toEqual([
      0xff, 0xfe, 0xfd, 0xfc, 0x7c, 0x7d, 0x7e, 0x7f,
    ])
  })
  it('refuses what is no code', () => {
    expect(() => compareCodes(0, 64, 'float6_e2m3fn')).toThrow(
      new RangeError('compareCodes: code outside 0..63 of float6_e2m3fn [64]'),
    )
  })
})
