import fc from 'fast-check'
import { formatNames, round } from 'tpu-toolkit/formats'
import { stalledUpdates } from 'tpu-toolkit/lowprecision'
import { tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const low = (values: number[]) => [tensor(values, { dtype: 'bfloat16' })]

describe('stalledUpdates', () => {
  it('draws the line at half an ulp, ties to even', () => {
    // Around 1 the neighbours are 2^-8 below and 2^-7 above.
    const half = 2 ** -8
    expect(stalledUpdates(low([1]), [tensor([half])]).stalled).toBe(1)
    expect(stalledUpdates(low([1 + 2 ** -7]), [tensor([half])]).stalled).toBe(0)
    expect(stalledUpdates(low([1]), [tensor([half * (1 + 2 ** -23)])]).stalled).toBe(0)
    expect(stalledUpdates(low([1]), [tensor([-half / 2])]).stalled).toBe(1)
    expect(stalledUpdates(low([1]), [tensor([-half])]).stalled).toBe(0)
  })
  it('counts updates that are 0 as none, over all leaves', () => {
    const params = { a: low([1, 1])[0]!, b: low([8])[0]! }
    const updates = { a: tensor([0, -0]), b: tensor([0.001]) }
    expect(stalledUpdates(params, updates)).toEqual({ updates: 1, stalled: 1, share: 1 })
    expect(stalledUpdates([zeros([0])], [zeros([0])])).toEqual({ updates: 0, stalled: 0, share: 0 })
  })
  it('a NaN moves, Inf stands', () => {
    expect(stalledUpdates(low([Infinity, 1]), [tensor([1, Number.NaN])])).toEqual({
      updates: 2,
      stalled: 1,
      share: 0.5,
    })
  })
  it(`agrees with rounding p + u by formats, in every format (seed ${seed})`, () => {
    const number = fc.float({ noNaN: true, min: -100, max: 100 })
    fc.assert(
      fc.property(
        fc.constantFrom(...formatNames),
        number,
        number,
        fc.integer({ min: -20, max: 2 }),
        (dtype, x, y, scale) => {
          const p = tensor([x], { dtype })
          const u = Math.fround(y * 2 ** scale)
          fc.pre(u !== 0 && !Number.isNaN(p.item()))
          const stands = round(p.item() + u, dtype) === p.item()
          expect(stalledUpdates([p], [tensor([u])]).stalled).toBe(stands ? 1 : 0)
        },
      ),
      { seed, numRuns: 500 },
    )
  })
  it.each([
    [
      () => stalledUpdates([tensor([1], { dtype: 'int32' })], [tensor([1])]),
      TypeError,
      'stalledUpdates: needs floating-point dtypes, cast first [int32]',
    ],
    [
      () => stalledUpdates([tensor([1])], [tensor([true], { dtype: 'bool' })]),
      TypeError,
      'stalledUpdates: needs floating-point dtypes, cast first [bool]',
    ],
    [
      () => stalledUpdates([tensor([1])], [tensor([1, 2])]),
      RangeError,
      'stalledUpdates: shapes differ [1 and 2]',
    ],
    [
      () => stalledUpdates([tensor([1])], { w: tensor([1]) }),
      RangeError,
      'stalledUpdates: trees differ at the root [array, object]',
    ],
  ])('%#: %s', (call, kind, text) => {
    expect(call).toThrow(new kind(text))
    expect(call).toThrow(kind)
  })
})
