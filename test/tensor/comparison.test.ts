import {
  equal,
  greater,
  greaterEqual,
  isFinite,
  isInf,
  isNaN,
  less,
  lessEqual,
  logicalAnd,
  logicalNot,
  logicalOr,
  notEqual,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const values = [1, 2, -0, 0, Number.NaN, Infinity, -Infinity]
const cases = [
  ['equal', equal, (a: number, b: number) => a === b],
  ['notEqual', notEqual, (a: number, b: number) => a !== b],
  ['less', less, (a: number, b: number) => a < b],
  ['lessEqual', lessEqual, (a: number, b: number) => a <= b],
  ['greater', greater, (a: number, b: number) => a > b],
  ['greaterEqual', greaterEqual, (a: number, b: number) => a >= b],
] as const

describe.each(['float32', 'float64', 'bfloat16', 'float16', 'float8_e5m2'] as const)(
  'comparisons of %s',
  (dtype) => {
    it.each(cases)('%s follows IEEE 754 on zeros, NaN and infinities', (_, compare, holds) => {
      const column = tensor(
        values.map((v) => [v]),
        { dtype },
      )
      const row = tensor(values, { dtype })
      expect(compare(column, row).toNested()).toEqual(values.map((a) => values.map((b) => holds(a, b))))
    })

    // float32 has a kernel for long runs, which the shortest do not reach.
    it.each(cases)(
      '%s gives of long rows what it gives of each pair, whichever side is broadcast',
      (_, compare, holds) => {
        const long = Array.from({ length: 20 }, () => values).flat()
        const turned = long.map((_, i) => long[(i + Math.floor(i / 7)) % long.length]!)
        const [row, other] = [tensor(long, { dtype }), tensor(turned, { dtype })]
        const column = tensor(
          values.map((v) => [v]),
          { dtype },
        )
        expect(compare(row, other).toNested()).toEqual(long.map((a, i) => holds(a, turned[i]!)))
        expect(compare(column, row).toNested()).toEqual(values.map((a) => long.map((b) => holds(a, b))))
        expect(compare(row, column).toNested()).toEqual(values.map((b) => long.map((a) => holds(a, b))))
      },
    )
  },
)

describe('predicates and logic', () => {
  it('less(x, 0.1) rounds the number to the dtype of x first', () => {
    expect(less(tensor([0.1], { dtype: 'bfloat16' }), 0.1).item()).toBe(0)
    expect(less(tensor([1], { dtype: 'int32' }), 2).item()).toBe(1)
    expect(() => less(tensor([1], { dtype: 'int32' }), 1.5)).toThrow(RangeError)
  })

  it('isFinite, isInf and isNaN divide every value', () => {
    const x = tensor(values, { dtype: 'bfloat16' })
    expect(isFinite(x).toNested()).toEqual([true, true, true, true, false, false, false])
    expect(isInf(x).toNested()).toEqual([false, false, false, false, false, true, true])
    expect(isNaN(x).toNested()).toEqual([false, false, false, false, true, false, false])
  })

  it('logicalAnd, logicalOr and logicalNot take bool only', () => {
    const [t, f] = [tensor([true], { dtype: 'bool' }), tensor([false], { dtype: 'bool' })]
    expect([logicalAnd(t, f).item(), logicalOr(t, f).item(), logicalNot(f).item()]).toEqual([0, 1, 1])
    expect(() => logicalAnd(tensor([1]), tensor([1]))).toThrow(
      new TypeError('logicalAnd: needs bool, compare first [float32]'),
    )
  })
})
