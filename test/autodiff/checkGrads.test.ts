import { checkGrads, type GradientRule, stopGradient } from 'tpu-toolkit/autodiff'
import { log, mul, ops, square, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('checkGrads', () => {
  const tree = { w: [tensor([1, 2], { dtype: 'bfloat16' }), tensor([3])] }

  it('gives the worst element of all arguments, computed in float64 whatever their dtype', () => {
    const f = (p: typeof tree, scale: Tensor): Tensor => mul(sum(mul(square(p.w[0]!), p.w[1]!)), scale)
    const worst = checkGrads(f as (...args: never[]) => Tensor as never, [tree, tensor(2)] as never)!
    expect(worst.error).toBeLessThan(1e-9)
    expect(worst.path).toMatch(/^(0\.w\.[01]|1)$/)
  })

  it('is undefined where there is nothing to check', () => {
    expect(checkGrads((x: Tensor) => sum(x), [tensor([])])).toBeUndefined()
  })

  it('names the path and the element of a wrong gradient', () => {
    const half: GradientRule = ({ g, inputs }) => [mul(g, inputs[0]!)]
    const f = (p: { w: Tensor[] }): Tensor => sum(square(p.w[1]!))
    expect(() => checkGrads(f, [tree], { rules: new Map([[ops.square, half]]) })).toThrow(
      new RangeError('checkGrads: gradient is off by 0.333 at 0.w.1, element 0 [3, not 6]'),
    )
    expect(() => checkGrads((x: Tensor) => mul(x, stopGradient(x)), [tensor(1)])).toThrow(
      new RangeError('checkGrads: gradient is off by 0.5 at 0, element 0 [1, not 2]'),
    )
  })

  it('counts a NaN as an error', () => {
    expect(() => checkGrads((x: Tensor) => log(x), [tensor(-1)])).toThrow(
      new RangeError('checkGrads: gradient is off by NaN at 0, element 0 [-1, not NaN]'),
    )
  })

  it('leaves its arguments as they were', () => {
    const x = tensor([1, 2], { dtype: 'float64' })
    checkGrads((v: Tensor) => sum(square(v)), [x])
    expect(x.toNested()).toEqual([1, 2])
  })

  it('names bad options and arguments', () => {
    const f = (x: Tensor): Tensor => sum(x)
    expect(() => checkGrads(f, [tensor(1)], { step: 0 })).toThrow(
      new RangeError('checkGrads: step is not above 0 and finite [0]'),
    )
    expect(() => checkGrads(f, [tensor(1)], { tolerance: Number.NaN })).toThrow(
      new RangeError('checkGrads: tolerance is not above 0 and finite [NaN]'),
    )
    expect(() => checkGrads(f, [tensor(1, { dtype: 'int32' })])).toThrow(
      new TypeError('checkGrads: needs floating-point tensors in argument 0, cast them [int32]'),
    )
  })
})
