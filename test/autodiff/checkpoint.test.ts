import { checkpoint, type GradientRule, grad, valueAndGrad } from 'tpu-toolkit/autodiff'
import {
  add,
  apply,
  argmax,
  cast,
  exp,
  mul,
  type Op,
  sin,
  square,
  sum,
  Tensor,
  tensor,
} from 'tpu-toolkit/tensor'
import { beforeEach, describe, expect, it } from 'vitest'

let runs = 0
beforeEach(() => {
  runs = 0
})
/** An identity that counts how often it runs, and how often its gradient is taken. */
const counted: Op = {
  name: 'counted',
  kernel: ([x]) => {
    runs++
    return new Tensor(x!.dtype, x!.shape, x!.data)
  },
}
const count = (x: Tensor): Tensor => apply(counted, [x], undefined)
const rules = new Map([[counted, (({ g }) => [g]) as GradientRule]])
const bfloat16 = { dtype: 'bfloat16' } as const

describe('checkpoint', () => {
  it('runs the inside once without a gradient, and once more in the backward pass', () => {
    const f = checkpoint((x: Tensor) => sin(count(exp(x))))
    expect(f(tensor(1)).trace).toBeUndefined()
    expect(runs).toBe(1)
    runs = 0
    grad((x: Tensor) => square(f(x)), { rules })(tensor(1))
    expect(runs).toBe(2)
  })

  it('runs it once more for all its outputs together', () => {
    const f = checkpoint((x: Tensor) => ({ a: sin(count(x)), b: [exp(x)] }))
    const loss = (x: Tensor): Tensor => {
      const { a, b } = f(x)
      return mul(a, b[0]!)
    }
    grad(loss, { rules })(tensor(1))
    expect(runs).toBe(2)
  })

  it('keeps nothing of the inside between the passes', () => {
    let inside: Tensor | undefined
    grad((x: Tensor) => {
      const y = checkpoint((v: Tensor) => sin(exp(v)))(x)
      expect(y.trace!.op.name).toBe('checkpoint')
      expect(y.trace!.inputs).toEqual([x])
      inside = y
      return y
    })(tensor(1))
    expect(inside).toBeDefined()
  })

  it('gives the bits of f itself in bfloat16, where the order of additions shows', () => {
    const w = tensor([0.3, -1.7, 2.9, 0.01], bfloat16)
    const block = (x: Tensor, v: Tensor): { y: Tensor; z: Tensor } => {
      const y = mul(exp(mul(x, v)), add(x, sin(mul(v, 3))))
      return { y, z: add(mul(y, x), mul(v, x)) }
    }
    const loss =
      (f: typeof block) =>
      (x: Tensor, v: Tensor): Tensor => {
        const { y, z } = f(mul(x, 1.7), v)
        const again = f(add(y, z), mul(v, z))
        return sum(add(add(mul(again.y, x), again.z), mul(y, v)), { accumulate: 'float32' })
      }
    const options = { argnums: [0, 1] } as const
    const [value, [gx, gv]] = valueAndGrad(loss(block), options)(w, mul(w, 0.3))
    const [kept, [hx, hv]] = valueAndGrad(loss(checkpoint(block)), options)(w, mul(w, 0.3))
    expect(kept.toBits()).toEqual(value.toBits())
    expect(hx.toBits()).toEqual(gx.toBits())
    expect(hv.toBits()).toEqual(gv.toBits())
  })

  it('differentiates what f reads from outside of its arguments', () => {
    const f = (x: Tensor): Tensor => {
      const w = exp(x)
      return checkpoint((v: Tensor) => mul(v, mul(w, w)))(square(x))
    }
    const plain = (x: Tensor): Tensor => mul(square(x), mul(exp(x), exp(x)))
    const x = tensor(0.7, { dtype: 'float64' })
    expect(grad(f)(x).item()).toBeCloseTo(grad(plain)(x).item(), 14)
    const only = (v: Tensor): Tensor => checkpoint(() => square(v))()
    expect(grad(only)(tensor(3)).item()).toBe(6)
  })

  it('nests, and has a gradient of its gradient', () => {
    const inner = checkpoint((x: Tensor) => sin(count(x)))
    const outer = checkpoint((x: Tensor) => exp(inner(square(x))))
    const plain = (x: Tensor): Tensor => exp(sin(square(x)))
    const x = tensor(0.7, { dtype: 'float64' })
    expect(grad(outer, { rules })(x).toBits()).toEqual(grad(plain)(x).toBits())
    // Once forward, once when the outer one runs again, once when the inner one does.
    expect(runs).toBe(3)
    const second = (f: (x: Tensor) => Tensor): number => grad(grad(f, { rules }), { rules })(x).item()
    expect(second(outer)).toBe(second(plain))
  })

  it('hands integers and arguments through, and an output that does not depend on them', () => {
    const f = checkpoint((x: Tensor) => ({ x, place: argmax(x), one: tensor(1), square: square(x) }))
    const loss = (x: Tensor): Tensor => {
      const out = f(x)
      expect(out.place.dtype).toBe('int32')
      return sum(add(mul(out.x, out.one), mul(out.square, cast(out.place, 'float32'))))
    }
    expect(grad(loss)(tensor([1, 5])).toNested()).toEqual([3, 11])
  })

  it('names a function that is none, or gives something else the second time', () => {
    expect(() => checkpoint(3 as never)).toThrow(new TypeError('checkpoint: f is not a function [3]'))
    let calls = 0
    const f = checkpoint((x: Tensor) => (calls++ === 0 ? [x, x] : [x]))
    expect(() => grad((x: Tensor) => f(x)[0]!)(tensor(1))).toThrow(
      new RangeError('checkpoint: f gave another number of tensors when run again [1, not 2]'),
    )
  })
})
