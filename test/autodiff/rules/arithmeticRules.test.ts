import { grad } from 'tpu-toolkit/autodiff'
import { pow, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('pow', () => {
  it('has the same mixed second derivative in both orders, at exponent 0 too', () => {
    const at = (x: number) => tensor(x, { dtype: 'float64' })
    for (const [a, b, known] of [
      [2, 0, 0.5],
      [2, 3, 4 * (1 + 3 * Math.LN2)],
      [2, -1, (1 - Math.LN2) / 4],
    ] as const) {
      const ab = grad((y: Tensor) => grad((x: Tensor) => pow(x, y))(at(a)))(at(b)).item()
      const ba = grad((x: Tensor) => grad((y: Tensor) => pow(x, y))(at(b)))(at(a)).item()
      expect(Math.abs(ab - known)).toBeLessThanOrEqual(1e-14 * known)
      expect(Math.abs(ab - ba)).toBeLessThanOrEqual(1e-14 * Math.abs(ab))
    }
  })

  it('to the power 0 has derivative 0 at 0, infinities and subnormal numbers', () => {
    for (const dtype of ['float64', 'float32', 'bfloat16'] as const) {
      for (const a of [0, -0, Infinity, 1e-40, 1e-310]) {
        expect(Math.abs(grad((x: Tensor) => pow(x, 0))(tensor(a, { dtype })).item())).toBe(0)
      }
    }
  })
})
