import fc from 'fast-check'
import { ulp } from 'tpu-toolkit/formats'
import { naiveCumsum, stableCumsum } from 'tpu-toolkit/numerics'
import { cumsum, fromBits, ones, type Tensor, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { distance, fromUnits, toUnits } from '../support/exact.js'
import { driftInput, hexOf } from '../support/reductionKeys.js'
import { seed } from '../support/seed.js'

/** The worst |y - exact| / (half an ulp + (n - 1) 2^-24 sum |x|) over all prefixes. */
function worstRatio(x: Tensor, y: Tensor): number {
  const values = x.toNumbers()
  const sums = y.toNumbers()
  let exact = 0n
  let size = 0n
  let worst = 0
  for (let i = 0; i < values.length; i++) {
    const term = toUnits(values[i]!)
    exact += term
    size += term < 0n ? -term : term
    // The output is rounded from the float32 sum, so the half ulp is that of the larger of both.
    const slip = i * 2 ** -24 * fromUnits(size)
    const bound = ulp(Math.abs(fromUnits(exact)) + slip, 'bfloat16') / 2 + slip
    worst = Math.max(worst, distance(sums[i]!, exact) / bound)
  }
  return worst
}

describe(`stableCumsum (seed ${seed})`, () => {
  it.each(['uniform', 'softplus_normal', 'lognormal_dt', 'const_0.1', 'ones', '1/n'])(
    'stableCumsum(%s) stays within half an ulp + (n - 1) 2^-24 sum |x|, L = 65,536',
    (name) => {
      const x = driftInput(name, 65_536)
      const ratio = worstRatio(x, stableCumsum(x))
      expect(ratio).toBeLessThanOrEqual(1)
      expect(ratio).toBeGreaterThan(name === '1/n' ? 0.5 : 0.9)
      // The naive sum breaks the same bound by far: it is not a loose one.
      expect(worstRatio(x, naiveCumsum(x))).toBeGreaterThan(10)
    },
  )

  it('stableCumsum(x) keeps the bound for any codes', () => {
    const code = fc.integer({ min: 0, max: 0xffff }).filter((c) => (c & 0x7f80) < 0x7e80)
    fc.assert(
      fc.property(fc.array(code, { minLength: 1, maxLength: 300 }), (codes) => {
        const x = fromBits(codes, { dtype: 'bfloat16' })
        expect(worstRatio(x, stableCumsum(x))).toBeLessThanOrEqual(1)
      }),
      { seed, numRuns: 300 },
    )
  })

  it('stableCumsum(x, { dtype }) keeps float32 sums, or rounds them once', () => {
    const x = tensor([256, 1, 1, 2 ** -20], { dtype: 'bfloat16' })
    expect(stableCumsum(x, { dtype: 'float32' }).toNested()).toEqual([256, 257, 258, 258])
    expect(stableCumsum(x).toNested()).toEqual([256, 256, 258, 258])
    expect(stableCumsum(tensor([2048, 1, 1]), { dtype: 'float16' }).toNested()).toEqual([2048, 2048, 2050])
  })

  it('float64 is not narrowed inside', () => {
    const x = tensor([1, 2 ** -40], { dtype: 'float64' })
    expect(stableCumsum(x).toNested()).toEqual([1, 1 + 2 ** -40])
  })

  it('both twins run along the given axis, default the last', () => {
    const x = tensor([
      [1, 2],
      [3, 4],
    ])
    const twins: ((x: Tensor, options?: { axis?: number }) => Tensor)[] = [stableCumsum, naiveCumsum]
    for (const twin of twins) {
      expect(twin(x).toNested()).toEqual([
        [1, 3],
        [3, 7],
      ])
      expect(hexOf(twin(x, { axis: 0 }), 8)).toBe(hexOf(transpose(twin(transpose(x), { axis: 1 })), 8))
      expect(twin(tensor([])).toNested()).toEqual([])
      expect(twin(tensor(5)).item()).toBe(5)
    }
  })

  it('both twins refuse integers', () => {
    const x = tensor([1, 2], { dtype: 'int32' })
    expect(() => stableCumsum(x)).toThrow(
      new TypeError('stableCumsum: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => naiveCumsum(x)).toThrow(
      new TypeError('naiveCumsum: needs a floating-point dtype, cast first [int32]'),
    )
  })

  it('both twins let NaN and infinities through', () => {
    const x = tensor([1, Infinity, 1, -Infinity, 1], { dtype: 'bfloat16' })
    const expected = [1, Infinity, Infinity, Number.NaN, Number.NaN]
    expect(stableCumsum(x).toNested()).toEqual(expected)
    expect(naiveCumsum(x).toNested()).toEqual(expected)
  })

  it('naiveCumsum(ones) stops at 256 in bfloat16, at 2048 in float16', () => {
    expect(
      naiveCumsum(ones([1000], { dtype: 'bfloat16' }))
        .toNumbers()
        .at(-1),
    ).toBe(256)
    expect(
      naiveCumsum(ones([3000], { dtype: 'float16' }))
        .toNumbers()
        .at(-1),
    ).toBe(2048)
    const x = driftInput('uniform', 1000)
    expect(hexOf(naiveCumsum(x))).toBe(hexOf(cumsum(x)))
  })
})
