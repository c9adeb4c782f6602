import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import {
  exactCovariance,
  exactCumsum,
  exactEma,
  exactMatmul,
  exactMoments,
  exactSoftmax,
  longSum,
} from '../../src/experiments/drift/lab/reference.js'
import { seed } from '../support/seed.js'

describe(`references (seed ${seed})`, () => {
  it('longSum keeps what cancellation leaves', () =>
    expect(longSum([1e16, 1, -1e16, 2 ** -40])).toBe(1 + 2 ** -40))
  it('longSum of dyadic numbers equals the sum in integers, n = 10,000', () => {
    const draw = seeded(`reference ${seed}`)
    const integers = Array.from(
      { length: 10_000 },
      () => BigInt(Math.floor((draw() - 0.5) * 2 ** 40)) << BigInt(Math.floor(draw() * 20)),
    )
    const total = integers.reduce((a, b) => a + b, 0n)
    expect(longSum(integers.map((n) => Number(n) * 2 ** -30))).toBe(Number(total) * 2 ** -30)
  })
  it('exactCumsum ends in longSum of every beginning', () => {
    const draw = seeded(`reference ${seed}`)
    const values = Array.from({ length: 50 }, () => draw() * 10 ** Math.floor(draw() * 20))
    expect([...exactCumsum(values)]).toEqual(values.map((_, i) => longSum(values.slice(0, i + 1))))
  })
  it('exactMoments of numbers far from zero keep the variance', () => {
    const { mean, variance } = exactMoments([1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3])
    expect([mean, variance]).toEqual([1e9 + 1.5, 1.25])
  })
  it('exactMoments takes away the rounding of the mean', () =>
    // The mean is 2^52 + 7/3; distances from it -4/3, -1/3, 5/3.
    expect(exactMoments([1, 2, 4].map((x) => 2 ** 52 + x)).variance).toBeCloseTo(14 / 9, 12))
  it('exactCovariance of columns that depend on each other is what it must be', () =>
    expect([...exactCovariance(Float64Array.of(1, 2, 2, 4, 3, 6), 3, 2)]).toEqual([1, 2, 2, 4]))
  it('exactMatmul multiplies', () =>
    expect([...exactMatmul(Float64Array.of(1, 2, 3, 4), Float64Array.of(5, 6, 7, 8), 2, 2, 2)]).toEqual([
      19, 22, 43, 50,
    ]))
  it('exactSoftmax sums to one and takes large logits', () => {
    const weights = exactSoftmax(Float64Array.of(1000, 1000, 1000 - Math.LN2))
    expect([...weights]).toEqual([0.4, 0.4, 0.2].map((w) => expect.closeTo(w, 12)))
  })
  it('exactEma of a constant follows 1 - b^t', () =>
    expect([...exactEma(Float64Array.of(1, 1, 1), 0.5)]).toEqual([0.5, 0.75, 0.875]))
})
