import { decode, format, ieeeFormat } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'

describe('ieeeFormat', () => {
  it.each([
    ['bfloat16', 8, 127],
    ['float16', 11, 15],
    ['float8_e3m4', 5, 3],
    ['float8_e4m3', 4, 7],
    ['float8_e5m2', 3, 15],
  ] as const)('ieeeFormat gives %s from (%i, %i)', (name, precision, maxExponent) => {
    expect(ieeeFormat(precision, maxExponent, name)).toEqual(format(name))
    expect(format(name).maxExponent).toBe(maxExponent)
  })

  it('ieeeFormat(3, 1) is the smallest of its kind but one: 5 bits, max 3.5', () => {
    const record = ieeeFormat(3, 1)
    expect([record.name, record.bits, record.max, record.minNormal]).toEqual(['binary_p3_e1', 5, 3.5, 1])
    expect(decode(0b01100, record)).toBe(Infinity)
  })

  it.each<[number, number, string]>([
    [1, 7, 'ieeeFormat: precision is not an integer from 2 up [1]'],
    [4.5, 7, 'ieeeFormat: precision is not an integer from 2 up [4.5]'],
    [4, 6, 'ieeeFormat: maxExponent is not 2^n - 1 with n from 1 up [6]'],
    [4, 0, 'ieeeFormat: maxExponent is not a whole number, 1 or more [0]'],
    [11, 127, 'defineFormat: width outside 2..16 bits [19]'],
    [4, 255, "defineFormat: values outside float32's"],
  ])('ieeeFormat(%f, %f) says what is wrong', (precision, maxExponent, message) => {
    expect(() => ieeeFormat(precision, maxExponent)).toThrow(RangeError)
    expect(() => ieeeFormat(precision, maxExponent)).toThrow(message)
  })
})
