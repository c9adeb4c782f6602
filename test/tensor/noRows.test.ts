import { noRows } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const namesOf = (...groups: readonly ('unary' | 'moves' | 'decides')[]): string =>
  Object.keys(noRows(...groups))
    .sort()
    .join(' ')

describe('noRows', () => {
  it("noRows('moves') has every operation that its type promises, and no other", () =>
    expect(namesOf('moves')).toBe('broadcastTo concat flip reshape slice take transpose tril triu'))
  it("noRows('decides') has comparisons and places, not steps such as floor", () =>
    expect(namesOf('decides')).toBe(
      'argmax argmin argsort equal greater greaterEqual isFinite isInf isNaN less lessEqual logicalAnd logicalNot logicalOr notEqual',
    ))
  it("noRows('unary') has every function of one element", () =>
    expect(namesOf('unary')).toBe(
      'abs acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor gelu geluTanh lgamma log log10 log1p log2 neg reciprocal relu rint rsqrt sigmoid sign silu sin sinh softplus sqrt square tan tanh trunc',
    ))
  it('noRows of several groups has the rows of each', () => {
    const rows = noRows('moves', 'decides')
    expect([rows.take, rows.isNaN, Object.keys(rows).length]).toEqual(['none', 'none', 24])
  })
  it('noRows names a group that is unknown', () =>
    expect(() => noRows('joins' as 'moves')).toThrow(
      new RangeError('noRows: unknown group, there are unary, moves, decides, bits [joins]'),
    ))
})
