import { describe, expect, it } from 'vitest'
import { readable } from '#text'

describe('readable', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [7, '7'],
    [1024, '1,024'],
    [-65_536, '-65,536'],
    [999_999, '999,999'],
    [1_000_000, '1e6'],
    [0.1, '0.1'],
    [0.0012345, '0.00123'],
    [0.00099951, '0.001'],
    [0.00012345, '1.23e-4'],
    [12_345.678, '12,300'],
    [99_999.9, '1e5'],
    [1.5e300, '1.5e300'],
    [Number.NaN, 'nan'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [null, '-'],
    [undefined, '-'],
  ])('readable(%s) is %s', (value, text) => expect(readable(value)).toBe(text))

  it('readable(x, 6) keeps six digits', () => expect(readable(Math.PI, 6)).toBe('3.14159'))
})
