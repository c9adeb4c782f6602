import fc from 'fast-check'
import { healthOf } from 'tpu-toolkit/monitor'
import { add, cast, fromBits, mul, tensor } from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'

const bf16 = { dtype: 'bfloat16' } as const

test('healthOf counts updates that are under half an ulp of their parameter', () => {
  const before = { w: tensor([1, 1, 1, 0], bf16), b: tensor([256], bf16) }
  const updates = { w: tensor([2 ** -9, 2 ** -7, 0, 2 ** -9], bf16), b: tensor([0.5], bf16) }
  const params = { w: add(before.w, updates.w), b: add(before.b, updates.b) }
  // 1 + 2^-9 is a tie to even, 256 + .5 is under half an ulp; the 0 was not meant to change anything.
  expect(healthOf({ params, before, updates })).toEqual({
    paramNorm: Math.hypot(1, 1 + 2 ** -7, 1, 2 ** -9, 256),
    nonFinite: {},
    updateNorm: Math.hypot(2 ** -7, 2 ** -9),
    unchanged: 3 / 5,
    updatesLost: 2 / 4,
  })
})

test('healthOf counts gradients below the smallest normal number of their dtype, zeros not among them', () => {
  const grads = [tensor([2 ** -15, 2 ** -14, 0, -(2 ** -24)], { dtype: 'float16' })]
  const { gradUnderflow, gradNorm } = healthOf({ params: grads, grads })
  expect(gradUnderflow).toBe(2 / 4)
  expect(gradNorm).toBeCloseTo(Math.hypot(2 ** -15, 2 ** -14, 2 ** -24), 20)
})

test('healthOf names the leaves with NaN and infinities, and takes norms of the rest', () => {
  const params = { layers: [{ w: tensor([3, Number.NaN, 4]) }], n: tensor([7], { dtype: 'int32' }) }
  const grads = { layers: [{ w: tensor([Infinity, -Infinity, 1]) }], n: tensor([0], { dtype: 'int32' }) }
  const health = healthOf({ params, grads })
  expect(health.nonFinite).toEqual({ 'params.layers.0.w': 1, 'grads.layers.0.w': 2 })
  expect(health.paramNorm).toBe(5)
  expect(health.gradNorm).toBe(1)
})

test('norms neither overflow nor underflow on the way', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1 }),
      fc.integer({ min: -900, max: 900 }),
      (values, exponent) => {
        const x = tensor(values, { dtype: 'float64' })
        const scaled = mul(x, 2 ** exponent)
        const { paramNorm } = healthOf({ params: [scaled] })
        const wanted = Math.hypot(...scaled.toNumbers())
        expect(Math.abs(paramNorm - wanted)).toBeLessThanOrEqual(wanted * values.length * 2 ** -52)
      },
    ),
  )
})

test('healthOf of nothing has no shares', () => {
  expect(healthOf({ params: [], before: [], updates: [], grads: [] })).toEqual({
    ...{ paramNorm: 0, nonFinite: {}, updateNorm: 0, unchanged: 0, updatesLost: 0, gradNorm: 0 },
    gradUnderflow: 0,
  })
})

test('-0 and 0 are not the same parameter', () => {
  const [plus, minus] = [tensor([0]), fromBits(Uint32Array.of(0x80000000), { shape: [1], dtype: 'float32' })]
  expect(healthOf({ params: [cast(plus, 'bfloat16')], before: [cast(minus, 'bfloat16')] }).unchanged).toBe(0)
})

test('healthOf refuses trees of other structure, and misspelt options', () => {
  const params = { w: tensor([1]) }
  expect(() => healthOf({ params, before: { v: tensor([1]) } })).toThrow('healthOf: trees differ')
  expect(() => healthOf({ params, gradients: params } as never)).toThrow(/^healthOf: .*gradients/)
})
