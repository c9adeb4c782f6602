import { grad } from 'tpu-toolkit/autodiff'
import { abs, gelu, geluTanh, silu, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('the derivative at infinities', () => {
  it.each([
    ['silu', silu, 0, Number.NaN],
    ['gelu', gelu, Number.NaN, Number.NaN],
    ['geluTanh', geluTanh, Number.NaN, Number.NaN],
    ['abs', abs, -1, 1],
  ] as const)('of %s is what the rules say', (_, f, low, high) => {
    const slope = grad((v: Tensor) => f(v))
    expect(Math.abs(slope(tensor(-Infinity)).item())).toBe(Math.abs(low))
    expect(slope(tensor(Infinity)).item()).toBe(high)
  })
})
