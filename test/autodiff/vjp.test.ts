import { grad, vjp } from 'tpu-toolkit/autodiff'
import { add, argmax, exp, full, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const bfloat16 = { dtype: 'bfloat16' } as const

describe('vjp', () => {
  it('gives the result and the way back from any cotangent, as often as it is asked', () => {
    const [out, pullback] = vjp(
      (x: Tensor, y: Tensor) => ({ p: mul(x, y), s: add(x, y) }),
      tensor([2, 3]),
      tensor(10),
    )
    expect(out.p.toNested()).toEqual([20, 30])
    expect(out.p.trace).toBeUndefined()
    const first = pullback({ p: tensor([1, 0]), s: tensor([0, 0]) })
    expect(first.map((g) => g.toNested())).toEqual([[10, 0], 2])
    const second = pullback({ p: tensor([0, 0]), s: tensor([5, 7]) })
    expect(second.map((g) => g.toNested())).toEqual([[5, 7], 12])
    expect(pullback({ p: tensor([1, 0]), s: tensor([0, 0]) })[0].toBits()).toEqual(first[0].toBits())
  })

  it('takes the options of the backward pass where it happens', () => {
    const [, pullback] = vjp((x: Tensor<'bfloat16'>) => mul(x, full([300], 1, bfloat16)), tensor(1, bfloat16))
    const g = full([300], 1, bfloat16)
    expect(pullback(g)[0].item()).toBe(300)
    expect(pullback(g, { sum: { accumulate: 'bfloat16' } })[0].item()).toBe(256)
  })

  it('its pullback is linear and can be differentiated by the cotangent', () => {
    const x = tensor([0, 1], { dtype: 'float64' })
    const back = (g: Tensor): Tensor => sum(vjp((v: Tensor) => exp(v), x)[1](g)[0])
    expect(grad(back)(tensor([5, 5], { dtype: 'float64' })).toNested()).toEqual([1, Math.E])
  })

  it('gives zeros where the result does not depend on an argument, and takes an identity', () => {
    const [out, pullback] = vjp((x: Tensor, _: Tensor) => x, tensor([1]), tensor([2, 3]))
    expect(out.toNested()).toEqual([1])
    expect(pullback(tensor([4])).map((g) => g.toNested())).toEqual([[4], [0, 0]])
  })

  it('names what does not fit', () => {
    const f = (x: Tensor): { y: Tensor } => ({ y: x })
    const [, pullback] = vjp(f, tensor([1, 2]))
    expect(() => pullback({ y: tensor([1]) })).toThrow(
      new RangeError('vjp: the cotangent has another shape than the result at y [1, not 2]'),
    )
    expect(() => pullback({ y: tensor([1, 2], bfloat16) as Tensor })).toThrow(
      new TypeError('vjp: the cotangent has another dtype than the result at y [bfloat16, not float32]'),
    )
    expect(() => pullback({ z: tensor([1]) } as never)).toThrow(
      new RangeError('vjp: trees differ at y [leaf, nothing]'),
    )
    expect(() => vjp((x: Tensor) => argmax(x), tensor([1]))).toThrow(
      new TypeError('vjp: f does not return floats, cast them [int32]'),
    )
    expect(() => vjp(f, tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('vjp: needs floating-point tensors in argument 0, cast them [int32]'),
    )
    expect(() => vjp(undefined as never)).toThrow(new TypeError('vjp: f is not a function [undefined]'))
  })
})
