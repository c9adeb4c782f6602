import { grad } from 'tpu-toolkit/autodiff'
import { lgamma, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const digamma = (x: number): number => grad((v: Tensor) => lgamma(v))(tensor(x, { dtype: 'float64' })).item()

const euler = 0.5772156649015329

describe('grad of lgamma is digamma', () => {
  // Abramowitz and Stegun, 6.3.2 to 6.3.5 and 6.3.8; the others by mpmath 1.3.0, 30 digits.
  it.each([
    [1, -euler],
    [0.5, -euler - 2 * Math.LN2],
    [2, 1 - euler],
    [5, 25 / 12 - euler],
    [0.25, -euler - Math.PI / 2 - 3 * Math.LN2],
    [-0.5, -euler - 2 * Math.LN2 + 2],
    [-2.25, 4.158583564657972],
    [1e-3, -1000.5755719318103],
    [1e6, 13.815510057964191],
    [100.5, 4.605174352581845],
  ])('at %s', (x, known) => {
    // A dozen additions of numbers no larger than the result and 1 / x.
    expect(Math.abs(digamma(x) - known)).toBeLessThanOrEqual(2 ** -47 * Math.max(1, Math.abs(known)))
  })

  it('has its poles where lgamma has them, and the limits at infinity', () => {
    for (const x of [0, -1, -7, Number.NaN, -Infinity]) expect(digamma(x)).toBe(Number.NaN)
    expect(digamma(Infinity)).toBe(Infinity)
  })

  it('is rounded once to the dtype', () => {
    const x = tensor([0.5, 3], { dtype: 'bfloat16' })
    const g = grad((v: Tensor) => sum(lgamma(v)))(x)
    expect(g.toBits()).toEqual(tensor([digamma(0.5), digamma(3)], { dtype: 'bfloat16' }).toBits())
  })
})
