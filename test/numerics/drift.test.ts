import { ulp } from 'tpu-toolkit/formats'
import { drift, naiveCumsum, stableCumsum } from 'tpu-toolkit/numerics'
import { key, uniform } from 'tpu-toolkit/random'
import { cast, cumsum, ones, type ScanOptions, slice, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { driftInput, hexOf, readKey } from '../support/reductionKeys.js'

type Row = [
  input: string,
  n: number,
  order: string,
  maxAbs: number,
  rms: number,
  stall: number | null,
  final: string,
  exact: number,
  bound: number,
]

const orders: Record<string, ScanOptions<'bfloat16'>> = {
  seq: {},
  pair: { order: 'pairwise' },
  rows16: { order: { blocked: 16 } },
  assoc: { order: 'associative' },
  f32acc: { accumulate: 'float32' },
  kahan: { order: 'kahan' },
  neumaier: { order: 'neumaier' },
}

const { rows } = readKey<{ rows: Row[] }>('drift')
const inputs = [...new Set(rows.map(([input]) => input))]

describe.each(inputs)('drift of cumsum on %s', (input) => {
  const ofInput = rows.filter((row) => row[0] === input)

  it.each(Object.keys(orders))(
    'order %s, n = 2 .. 65,536: final code, stall and errors are those recorded',
    (order) => {
      const ofOrder = ofInput.filter((row) => row[2] === order)
      expect(ofOrder).toHaveLength(16)
      for (const [, n, , maxAbs, rms, stall, final, exact] of ofOrder) {
        const x = driftInput(input, n)
        const y = cumsum(x, orders[order])
        const reference = cumsum(cast(x, 'float64'))
        const found = drift(y, reference)
        const where = `n = ${n}`
        expect(hexOf(slice(y, [[-1, null]])), where).toBe(final)
        // The key has the place of the last change, whether or not anything was left to add.
        const sums = reference.toNumbers()
        const step = ulp(exact, 'bfloat16')
        const moved = stall === null ? 0 : Math.abs(exact - (stall === 0 ? 0 : sums[stall - 1]!))
        if (found.stallIndex !== null) {
          expect(found.stallIndex, where).toBe(stall)
          expect(moved, where).toBeGreaterThan(step / 2)
        } else {
          expect(Math.min(moved, Math.abs(y.toNumbers().at(-1)! - exact)), where).toBeLessThanOrEqual(
            2 * step,
          )
        }
        expect(found.maxAbs, where).toBe(maxAbs)
        expect(reference.toNumbers().at(-1), where).toBe(exact)
        // Sums of n squares in another order.
        expect(Math.abs(found.rms - rms), where).toBeLessThanOrEqual(rms * n * 2 ** -53)
      }
    },
  )
})

describe('drift', () => {
  const actual = tensor([1, 2, 4, 4], { dtype: 'bfloat16' })

  it('drift(actual, reference) measures every error as its name says', () => {
    expect(drift(actual, [1, 2.5, 3.96875, 5])).toEqual({
      maxAbs: 1,
      maxRel: 0.2,
      rms: Math.sqrt((0.25 + 0.03125 ** 2 + 1) / 4),
      maxUlps: 32,
      bias: (-0.5 + 0.03125 - 1) / 4,
      normRel: expect.closeTo(Math.hypot(0.5, 0.03125, 1) / Math.hypot(1, 2.5, 3.96875, 5), 15),
      sqnr: expect.closeTo(
        -20 * Math.log10(Math.hypot(0.5, 0.03125, 1) / Math.hypot(1, 2.5, 3.96875, 5)),
        12,
      ),
      firstPast: 1,
      stallIndex: 3,
    })
  })

  it('drift(x, x) is nothing', () => {
    const none = { maxAbs: 0, maxRel: 0, rms: 0, normRel: 0, sqnr: Infinity, maxUlps: 0, bias: 0 }
    const nothing = { ...none, firstPast: null, stallIndex: null }
    expect(drift(actual, actual)).toEqual(nothing)
    expect(drift(actual, cast(actual, 'float64'))).toEqual(nothing)
    const special = tensor([Number.NaN, Infinity, -Infinity, -0])
    expect(drift(special, [Number.NaN, Infinity, -Infinity, 0])).toMatchObject({
      maxAbs: 0,
      maxRel: 0,
      maxUlps: 0,
    })
  })

  it('drift(empty) is nothing, with no index', () => {
    expect(drift(tensor([]), [])).toEqual({
      maxAbs: 0,
      maxRel: 0,
      rms: 0,
      normRel: 0,
      sqnr: Infinity,
      maxUlps: 0,
      bias: 0,
      firstPast: null,
      stallIndex: null,
    })
  })

  it('firstPast is the first error above the tolerance, one for all or one an element', () => {
    const reference = [1, 2.5, 3.96875, 5]
    expect(drift(actual, reference, { tolerance: 0.5 }).firstPast).toBe(3)
    expect(drift(actual, reference, { tolerance: 1 }).firstPast).toBeNull()
    expect(drift(actual, reference, { tolerance: Float64Array.of(0, 1, 0.01, 9) }).firstPast).toBe(2)
    expect(drift(tensor([Number.NaN]), [0], { tolerance: 1e300 }).firstPast).toBe(0)
    expect(() => drift(actual, reference, { tolerance: Float64Array.of(1) })).toThrow(
      new RangeError('drift: not one tolerance an element [1, not 4]'),
    )
  })

  it('what is not a number on one side only is infinitely far', () => {
    const lost = drift(tensor([Number.NaN, 1]), [1, 1])
    expect(lost).toMatchObject({
      maxAbs: Infinity,
      maxRel: Infinity,
      rms: Infinity,
      maxUlps: Infinity,
      bias: Number.NaN,
    })
    const over = drift(tensor([Infinity, 1]), [1, 1])
    expect(over).toMatchObject({
      maxAbs: Infinity,
      maxRel: Infinity,
      rms: Infinity,
      maxUlps: Infinity,
      bias: Infinity,
    })
  })

  it('an error where the reference is 0 is relatively infinite', () => {
    expect(drift(tensor([2 ** -149]), [0])).toMatchObject({ maxAbs: 2 ** -149, maxRel: Infinity, maxUlps: 1 })
  })

  it('rms neither overflows nor vanishes', () => {
    const far = tensor([1e300, 1e300], { dtype: 'float64' })
    expect(drift(far, [0, 0]).rms).toBe(1e300)
    expect(drift(tensor([1e-300], { dtype: 'float64' }), [0]).rms).toBe(1e-300)
  })

  it('a reference beyond the dtype counts in its steps after rounding', () => {
    expect(drift(tensor([256], { dtype: 'bfloat16' }), [256.9]).maxUlps).toBe(0)
    expect(drift(tensor([256], { dtype: 'bfloat16' }), [257.1]).maxUlps).toBe(1)
  })

  it('stallIndex counts the elements up to the last change, where the reference goes on', () => {
    const counted = (n: number) => Float64Array.from({ length: n }, (_, i) => i + 1)
    expect(drift(cumsum(ones([1000], { dtype: 'bfloat16' })), counted(1000)).stallIndex).toBe(256)
    expect(drift(cumsum(ones([261], { dtype: 'bfloat16' })), counted(261)).stallIndex).toBe(256)
    expect(drift(cumsum(ones([256], { dtype: 'bfloat16' })), counted(256)).stallIndex).toBeNull()
    expect(drift(tensor([0, 0, 0]), [1, 2, 3]).stallIndex).toBe(0)
    expect(drift(tensor([[1, 1]]), [[1, 9]].flat()).stallIndex).toBeNull()
    expect(drift(tensor(3), [3]).stallIndex).toBeNull()
  })

  it('stallIndex is null for what is right to a step, adds nothing or is no number', () => {
    const x = tensor(
      uniform(key(5), 5000).map((step) => step / 10),
      { dtype: 'bfloat16' },
    )
    expect(drift(stableCumsum(x), cumsum(cast(x, 'float64'))).stallIndex).toBeNull()
    expect(drift(naiveCumsum(x), cumsum(cast(x, 'float64'))).stallIndex).toBeLessThan(1000)
    // Additions of 0 after the last change; and an error made before it.
    expect(drift(tensor([1, 9, 9]), [1, 2, 2]).stallIndex).toBeNull()
    expect(drift(tensor([0, 0, 0]), [0, 0, 0]).stallIndex).toBeNull()
    expect(drift(tensor([Number.NaN, Number.NaN]), [0, 5]).stallIndex).toBeNull()
  })

  it('normRel weighs errors by the whole, where maxRel says what the smallest element says', () => {
    const { maxRel, normRel, sqnr } = drift(tensor([1e-3, 1000]), [1e-9, 1000])
    expect(maxRel).toBeGreaterThan(999_999)
    expect(normRel).toBeCloseTo(1e-6, 9)
    expect(sqnr).toBeCloseTo(120, 3)
    expect(drift(tensor([1]), [0])).toMatchObject({ normRel: Infinity, sqnr: -Infinity })
    expect(drift(tensor([Infinity, 2]), [Infinity, 1])).toMatchObject({ normRel: 1, sqnr: 0 })
  })

  it('shapes and dtypes that cannot be compared are errors', () => {
    const integers = tensor([1], { dtype: 'int32' }) as Tensor
    expect(() => drift(actual, [1])).toThrow(new RangeError('drift: shapes differ [4 and 1]'))
    expect(() => drift(actual, tensor([[1, 2, 4, 4]]))).toThrow(
      new RangeError('drift: shapes differ [4 and 1, 4]'),
    )
    expect(() => drift(integers, [1])).toThrow(
      new TypeError('drift: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => drift(tensor([1]), integers)).toThrow(
      new TypeError('drift: needs a floating-point dtype, cast first [int32]'),
    )
  })
})
