import { describe, expect, it } from 'vitest'
import { bytesText, percentText, secondsText } from '#text'

describe('quantities with their units', () => {
  it.each([
    [0, '0 GiB'],
    [2 ** 30, '1 GiB'],
    [95 * 2 ** 30, '95 GiB'],
    [2 ** 30 - 2 ** 20, '1,023 MiB'],
    [3 * 2 ** 18, '0.75 MiB'],
    [Number.NaN, 'nan MiB'],
  ])('bytesText(%d) is %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

  it.each([
    [0, '0 s'],
    [1, '1 s'],
    [3661, '3,661 s'],
    [0.0125, '12.5 ms'],
    [1e-3, '1 ms'],
    [9.994e-4, '999 us'],
    [2.5e-9, '0.0025 us'],
    [Number.POSITIVE_INFINITY, 'inf s'],
  ])('secondsText(%d) is %s', (seconds, text) => expect(secondsText(seconds)).toBe(text))

  it.each([
    [0, '0.0 %'],
    [0.9996, '100.0 %'],
    [0.12345, '12.3 %'],
  ])('percentText(%d) is %s', (share, text) => expect(percentText(share)).toBe(text))

  it('bytesText(text) is a TypeError that shows it', () =>
    expect(() => bytesText('3' as never)).toThrow(new TypeError('bytesText: bytes is not a number [3]')))
})
