import { checkGrads, grad } from 'tpu-toolkit/autodiff'
import { lgamma, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

type Scalar = (x: Tensor) => Tensor

/** The derivative of an order of lgamma, by differentiating so often. */
function derivative(order: number, x: number): number {
  let f: Scalar = (v) => lgamma(v)
  for (let i = 0; i < order; i++) {
    const before = f
    f = (v) => grad(before)(v)
  }
  return f(tensor(x, { dtype: 'float64' })).item()
}

describe('the derivatives of lgamma from the second on are polygamma', () => {
  // mpmath 1.3.0, 120 bits.
  it.each([
    [1, 1, 1.6449340668482264],
    [1, 0.5, 4.934802200544679],
    [1, 2, 0.6449340668482264],
    [1, 0.25, 17.19732915450711],
    [1, -0.5, 8.934802200544679],
    [1, -2.25, 19.37941051186914],
    [1, 0.001, 1000001.6425331958],
    [1, 1000000, 1.0000005000001667e-6],
    [1, 100.5, 0.009999916669583104],
    [1, -30.75, 19.707211531867504],
    [1, 1e-8, 1.0000000000000002e16],
    [2, 1, -2.4041138063191885],
    [2, 0.5, -16.82879664423432],
    [2, 2, -0.4041138063191886],
    [2, 0.25, -129.32773993753693],
    [2, -0.5, -0.82879664423432],
    [2, -2.25, 123.89694977406016],
    [2, 0.001, -2000000002.3976321],
    [2, 1000000, -1.0000010000005e-12],
    [2, 100.5, -9.999750014581719e-5],
    [2, -30.75, -124.02613045921169],
    [2, 1e-8, -2e24],
    [3, 1, 6.493939402266829],
    [3, 0.5, 97.40909103400244],
    [3, 2, 0.49393940226682914],
    [3, 0.25, 1538.7821440091884],
    [3, -0.5, 193.40909103400244],
    [3, -2.25, 1558.4550231887144],
    [3, 0.001, 6000000000006.469],
    [3, 1000000, 2.000003000002e-18],
    [3, 100.5, 1.9999000087487087e-6],
    [3, -30.75, 1558.5453910415633],
    [3, 1e-8, 5.999999999999999e32],
    [4, 1, -24.88626612344088],
    [4, 0.5, -771.4742498266672],
    [4, 2, -0.8862661234408782],
    [4, 0.25, -24584.375388637935],
    [4, -0.5, -3.4742498266672253],
    [4, -2.25, 24481.479910902563],
    [4, 0.001, -2.4000000000000024e16],
    [4, 1000000, -6.00001200001e-24],
    [4, 100.5, -5.999500061238378e-8],
    [4, -30.75, -24481.57478910861],
    [4, 1e-8, -2.3999999999999998e41],
  ])('order %s at %s', (order, x, known) => {
    expect(Math.abs(derivative(order + 1, x) - known)).toBeLessThanOrEqual(2 ** -43 * Math.abs(known))
  })

  it('they have the limits of their series at poles and infinities', () => {
    expect([derivative(2, 0), derivative(2, -3), derivative(2, Infinity)]).toEqual([Infinity, Infinity, 0])
    expect([derivative(3, -3), derivative(2, -Infinity), derivative(2, Number.NaN)]).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ])
  })

  it('they agree with differences', () => {
    const x = tensor([0.3, 1.7, -0.6, 5.5], { dtype: 'float64' })
    checkGrads((v: Tensor) => sum(grad((w: Tensor) => sum(mul(lgamma(w), w)))(v)), [x], { tolerance: 1e-6 })
  })

  it('is rounded once to the dtype', () => {
    const second = grad((v: Tensor) => sum(grad((w: Tensor) => sum(lgamma(w)))(v)))
    const values = [derivative(2, 0.5), derivative(2, 3)]
    expect(second(tensor([0.5, 3], { dtype: 'bfloat16' })).toBits()).toEqual(
      tensor(values, { dtype: 'bfloat16' }).toBits(),
    )
  })
})
