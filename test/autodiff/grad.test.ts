import { type GradientRule, grad, stopGradient, valueAndGrad } from 'tpu-toolkit/autodiff'
import {
  add,
  apply,
  argmax,
  cast,
  exp,
  floor,
  fromBits,
  full,
  greater,
  max,
  mean,
  mul,
  type Op,
  relu,
  reshape,
  rint,
  sign,
  sin,
  square,
  sub,
  sum,
  Tensor,
  take,
  tensor,
  where,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const total = (x: Tensor): Tensor => sum(square(x))
const bfloat16 = { dtype: 'bfloat16' } as const

describe('grad', () => {
  it('gives a tree of the first argument, in its dtypes', () => {
    const params = { w: tensor([1, 2], bfloat16), layers: [tensor(3), tensor([[4]], { dtype: 'float64' })] }
    const f = ({ w, layers: [a, b] }: typeof params): Tensor =>
      add(sum(cast(square(w), 'float32')), add(square(a!), cast(sum(square(b!)), 'float32') as Tensor<never>))
    const g = grad(f)(params)
    expect(g.w.dtype).toBe('bfloat16')
    expect(g.w.toNested()).toEqual([2, 4])
    expect(g.layers[0]!.item()).toBe(6)
    expect(g.layers[1]!.dtype).toBe('float64')
    expect(g.layers[1]!.toNested()).toEqual([[8]])
  })

  it('takes other arguments as they are, and argnums from either end', () => {
    const f = (x: Tensor, factor: number, y: Tensor): Tensor => mul(mul(x, y), factor)
    const args = [tensor(2), 10, tensor(3)] as const
    expect(grad(f)(...args).item()).toBe(30)
    expect(grad(f, { argnums: 2 })(...args).item()).toBe(20)
    const both = grad(f, { argnums: [-1, 0] })(...args) as unknown as Tensor[]
    expect(both.map((x) => x.item())).toEqual([20, 30])
  })

  it('gives zeros for what f does not depend on, and for a constant f', () => {
    const g = grad(({ a }: { a: Tensor; b: Tensor }) => square(a))({
      a: tensor(1),
      b: tensor([1, 2], bfloat16),
    })
    expect(g.b.toNested()).toEqual([0, 0])
    expect(g.b.dtype).toBe('bfloat16')
    expect(grad((_: Tensor) => tensor(3))(tensor([1])).toNested()).toEqual([0])
    expect(grad((x: Tensor) => sum(x))(tensor([], { shape: [2, 0] })).shape).toEqual([2, 0])
    expect(grad((_: unknown[]) => tensor(1))([])).toEqual([])
  })

  it('treats two leaves that are one tensor as two', () => {
    const x = tensor(3)
    const g = grad(([a, b]: [Tensor, Tensor]) => mul(square(a), b))([x, x])
    expect(g.map((leaf) => leaf.item())).toEqual([18, 9])
  })

  it('leaves no trace behind, in gradients, values and aux', () => {
    const [[value, aux], g] = valueAndGrad((x: Tensor) => [total(x), { seen: exp(x), n: 3 }] as const, {
      hasAux: true,
    })(tensor([1, 2]))
    for (const x of [value, aux.seen, g]) expect(x.trace).toBeUndefined()
    expect(aux.n).toBe(3)
    expect(aux.seen.shape).toEqual([2])
  })

  it('hasAux gives [gradient, aux]', () => {
    const [g, aux] = grad((x: Tensor) => [total(x), 'seen'] as const, { hasAux: true })(tensor([1, 2]))
    expect(g.toNested()).toEqual([2, 4])
    expect(aux).toBe('seen')
  })

  it('passes NaN and infinities through as values', () => {
    expect(grad(total)(tensor([Number.NaN, Infinity, 1])).toNested()).toEqual([Number.NaN, Infinity, 2])
  })

  it('selects at a where, so that an infinity on the other side stays there', () => {
    const f = (x: Tensor): Tensor => sum(where(greater(x, 0), exp(x), 0))
    expect(grad(f)(tensor([-1000, 1])).toNested()).toEqual([0, Math.fround(Math.E)])
    const sides = (x: Tensor): Tensor => sum(where(greater(x, 0), mul(x, 5), mul(x, 7)))
    expect(grad(sides)(tensor([-1, 1])).toNested()).toEqual([7, 5])
  })

  it('gives NaN all along a maximum that is NaN, and half at ties of two', () => {
    expect(grad((x: Tensor) => max(x))(tensor([1, Number.NaN])).toNested()).toEqual([Number.NaN, Number.NaN])
    expect(grad((x: Tensor) => max(x))(tensor([1, 2, 2])).toNested()).toEqual([0, 0.5, 0.5])
  })

  it('is 0 through steps and choices, and at the kinks of relu and abs', () => {
    for (const f of [floor, rint, sign]) expect(grad((x: Tensor) => f(x))(tensor(1.5)).item()).toBe(0)
    const f = (x: Tensor): Tensor => mul(sum(x), cast(argmax(x), 'float32'))
    expect(grad(f)(tensor([1, 5])).toNested()).toEqual([1, 1])
    expect(grad((x: Tensor) => relu(x))(tensor(0)).item()).toBe(0)
  })

  it('follows a cast to the dtype that was cast from, and stops at integers', () => {
    const f = (x: Tensor): Tensor => sum(square(cast(x, 'bfloat16')))
    // 2 x 1.00390625 is taken in bfloat16, where 1.00390625 is 1.
    expect(grad(f)(tensor([1.00390625])).item()).toBe(2)
    const steps = (x: Tensor): Tensor => sum(cast(cast(x, 'int32'), 'float32'))
    expect(grad(steps)(tensor([1.5])).item()).toBe(0)
  })

  it('divides by the exact count in a mean: 511 is not a bfloat16', () => {
    const g = grad((x: Tensor<'bfloat16'>) => mul(mean(x, { accumulate: 'float32' }), 511))(
      full([511], 1, bfloat16),
    )
    // 511 rounds to 512, so 512 / 511 rounded once.
    expect(g.toNumbers()[0]).toBe(1)
    const one = grad((x: Tensor<'bfloat16'>) => mean(x, { accumulate: 'float32' }))(full([300], 1, bfloat16))
    expect(one.toNumbers()[0]).toBe(tensor(1 / 300, bfloat16).item())
  })
})

describe('grad: the order and rounding of additions', () => {
  it('adds the cotangents of one tensor in its dtype, the last user first', () => {
    // Users in the order of running: x * 256, x * 1, x * 1. Last first: (1 + 1) + 256 = 258; first first would be 256.
    const f = (x: Tensor<'bfloat16'>): Tensor => {
      const [large, one, other] = [mul(x, 256), mul(x, 1), mul(x, 1)]
      return add(add(large, one), other)
    }
    expect(grad(f)(tensor(1, bfloat16)).item()).toBe(258)
    const reversed = (x: Tensor<'bfloat16'>): Tensor => {
      const [one, other, large] = [mul(x, 1), mul(x, 1), mul(x, 256)]
      return add(add(large, one), other)
    }
    expect(grad(reversed)(tensor(1, bfloat16)).item()).toBe(256)
  })

  it('sums over a broadcast in float32 by default, and as sum says', () => {
    const f = (x: Tensor<'bfloat16'>): Tensor =>
      sum(mul(x, full([300], 1, bfloat16)), { accumulate: 'float32' })
    const x = tensor(1, bfloat16)
    expect(grad(f)(x).item()).toBe(300)
    expect(grad(f, { sum: { accumulate: 'bfloat16' } })(x).item()).toBe(256)
    expect(grad(f, { sum: { accumulate: 'bfloat16', order: { windowed: 32 } } })(x).item()).toBe(300)
  })

  it('sums over several axes rows first, then the rows, all in the accumulator', () => {
    const rows = tensor(
      [
        [256, 1, 1],
        [1, 1, 1],
        [256, 1, 1],
      ],
      bfloat16,
    )
    const f = (x: Tensor<'bfloat16'>): Tensor => sum(mul(x, rows), { accumulate: 'float32' })
    const x = tensor(1, bfloat16)
    // 519 is no bfloat16: 520. Rows in bfloat16: 256, 3, 256, together 256 + 3 = 260, 516.
    expect(grad(f)(x).item()).toBe(520)
    expect(grad(f, { sum: { accumulate: 'bfloat16' } })(x).item()).toBe(516)
  })

  it('adds in float64 for float64', () => {
    const f = (x: Tensor): Tensor =>
      sum(mul(x, tensor([2 ** 30, 2 ** -20, -(2 ** 30)], { dtype: 'float64' })))
    expect(grad(f)(tensor(1, { dtype: 'float64' })).item()).toBe(2 ** -20)
    expect(grad(f, { sum: { accumulate: 'float32' } })(tensor(1, { dtype: 'float64' })).item()).toBe(0)
  })

  it('adds where take read an element more than once, as sum says', () => {
    const f = (x: Tensor<'bfloat16'>): Tensor =>
      sum(take(x, new Array(300).fill(1)), { accumulate: 'float32' })
    const x = tensor([5, 6, 7], bfloat16)
    expect(grad(f)(x).toNested()).toEqual([0, 300, 0])
    expect(grad(f, { sum: { accumulate: 'bfloat16' } })(x).toNested()).toEqual([0, 256, 0])
  })

  it('moves codes bit for bit where nothing is added', () => {
    const weights = fromBits([0x8000, 0x0001, 0x7f7f], { dtype: 'bfloat16' })
    const f = (x: Tensor<'bfloat16'>): Tensor =>
      sum(mul(reshape(take(x, [2, 0, 1]), [1, 3]), weights), { accumulate: 'float32' })
    expect(Array.from(grad(f)(tensor([1, 1, 1], bfloat16)).toBits() as Uint16Array)).toEqual([
      0x0001, 0x7f7f, 0x8000,
    ])
  })
})

describe('grad of grad', () => {
  it('differentiates as often as it is asked to', () => {
    const f = (x: Tensor): Tensor => sin(x)
    let derivative = f
    const expected = [Math.cos, (x: number) => -Math.sin(x), (x: number) => -Math.cos(x), Math.sin]
    for (const known of expected) {
      derivative = grad(derivative)
      // Each derivative multiplies by one rounded factor more.
      expect(derivative(tensor(0.7, { dtype: 'float64' })).item()).toBeCloseTo(known(0.7), 14)
    }
  })

  it('keeps the variables of inner and outer apart', () => {
    const inner = (x: Tensor): Tensor => mul(x, grad((y: Tensor) => add(x, y))(tensor(1)))
    expect(grad(inner)(tensor(3)).item()).toBe(1)
    const product = (x: Tensor): Tensor => mul(x, grad((y: Tensor) => mul(x, y))(tensor(1)))
    expect(grad(product)(tensor(3)).item()).toBe(6)
    const both = (x: Tensor): Tensor => mul(x, grad((y: Tensor) => mul(x, square(y)))(x))
    // x * 2 x y at y = x: 2 x^3, derivative 6 x^2.
    expect(grad(both)(tensor(3)).item()).toBe(54)
  })

  it('differentiates a loss that contains a gradient, by the parameters it closes over', () => {
    const penalty = (w: Tensor): Tensor => {
      const slope = grad((x: Tensor) => mul(square(x), w))(tensor(5))
      return square(sub(slope, 1))
    }
    // (10 w - 1)^2
    expect(grad(penalty)(tensor(0.5)).item()).toBe(80)
  })
})

describe('grad of operations of a user', () => {
  const doubled: Op = { name: 'doubled', kernel: ([x]) => new Tensor(x!.dtype, x!.shape, add(x!, x!).data) }
  const run = (x: Tensor): Tensor => sum(apply(doubled, [x], undefined))

  it('takes their rules as an argument', () => {
    const rules = new Map([[doubled, (({ g }) => [mul(g, 2)]) as GradientRule]])
    expect(grad(run, { rules })(tensor([1, 2])).toNested()).toEqual([2, 2])
    expect(grad(run, { rules: new Map([[doubled, 'none' as const]]) })(tensor([1])).toNested()).toEqual([0])
  })

  it('takes the rule that an operation brings, unless one is given', () => {
    const own: Op = { ...doubled, gradient: ({ g, needs }) => (needs[0] ? [mul(g, 2)] : []) }
    const f = (x: Tensor): Tensor => sum(apply(own, [x], undefined))
    expect(grad(f)(tensor([1, 2])).toNested()).toEqual([2, 2])
    const rules = new Map([[own, (({ g }) => [mul(g, 3)]) as GradientRule]])
    expect(grad(f, { rules })(tensor([1, 2])).toNested()).toEqual([3, 3])
    const step: Op = { ...doubled, gradient: () => [] }
    expect(grad((x: Tensor) => sum(apply(step, [x], undefined)))(tensor([1])).toNested()).toEqual([0])
  })

  it('takes another rule for a known operation: straight through rint', () => {
    const { op } = withTraceOf(rint)
    const rules = new Map([[op, (({ g }) => [g]) as GradientRule]])
    expect(grad((x: Tensor) => sum(square(rint(x))), { rules })(tensor([1.4, 2.6])).toNested()).toEqual([
      2, 6,
    ])
  })

  it('names an operation that has no rule, and a rule that breaks its promise', () => {
    expect(() => grad(run)(tensor([1]))).toThrow(
      new RangeError('grad: no gradient rule for this operation, give one by rules [doubled]'),
    )
    const wrongShape = new Map([[doubled, (() => [tensor([1, 2, 3])]) as GradientRule]])
    expect(() => grad(run, { rules: wrongShape })(tensor([1, 2]))).toThrow(
      new RangeError('grad: the rule of doubled gives another shape than its input has [3, not 2]'),
    )
    const wrongDType = new Map([[doubled, (() => [tensor([1], bfloat16)]) as GradientRule]])
    expect(() => grad(run, { rules: wrongDType })(tensor([1]))).toThrow(
      new TypeError(
        'grad: the rule of doubled gives another dtype than its input has [bfloat16, not float32]',
      ),
    )
  })
})

describe('grad: errors', () => {
  const broken = grad as unknown as (f: unknown, options?: unknown) => (...args: unknown[]) => unknown
  it.each([
    ['no function', () => broken(3), new TypeError('grad: f is not a function [3]')],
    [
      'an integer argument',
      () => broken(total)({ a: [tensor([1], { dtype: 'int32' })] }),
      new TypeError('grad: needs floating-point tensors in argument 0 at a.0, cast them [int32]'),
    ],
    [
      'a number',
      () => broken(total)(3),
      new TypeError('grad: not a leaf, array or plain object at the root [3]'),
    ],
    ['too few arguments', () => broken(total)(), new RangeError('grad: argnums outside 0 arguments [0]')],
    [
      'argnums past the end',
      () => broken(total, { argnums: [0, 1.5] })(tensor(1)),
      new RangeError('grad: argnums outside 1 arguments [1.5]'),
    ],
    [
      'repeated argnums',
      () => broken(total, { argnums: [0, -1] })(tensor(1)),
      new RangeError('grad: repeated argnums [0, -1]'),
    ],
    [
      'a vector',
      () => broken(square)(tensor([1, 2])),
      new RangeError('grad: f does not return a scalar, sum it up [2]'),
    ],
    [
      'no tensor',
      () => broken(() => 3)(tensor(1)),
      new TypeError('grad: f does not return one scalar tensor [3]'),
    ],
    [
      'a tree',
      () => broken((x: Tensor) => [x])(tensor(1)),
      new TypeError('grad: f does not return one scalar tensor [Array]'),
    ],
    [
      'an integer',
      () => broken((x: Tensor) => argmax(x))(tensor([1, 2])),
      new TypeError('grad: f does not return a float, cast it [int32]'),
    ],
    [
      'no pair with hasAux',
      () => broken((x: Tensor) => x, { hasAux: true })(tensor(1)),
      new TypeError('grad: f does not return [value, aux], which hasAux says [Tensor]'),
    ],
  ])('%s', (_, run, error) => {
    expect(run).toThrow(error)
  })

  it('valueAndGrad signs its own', () => {
    expect(() => valueAndGrad((x: Tensor) => x)(tensor([1]))).toThrow(
      new RangeError('valueAndGrad: f does not return a scalar, sum it up [1]'),
    )
  })
})

describe('stopGradient', () => {
  it('makes constants of a tree of tensors, bits unchanged', () => {
    const f = (x: Tensor): Tensor => {
      const { kept } = stopGradient({ kept: mul(x, 2) })
      return mul(x, kept)
    }
    expect(grad(f)(tensor(3)).item()).toBe(6)
    const x = tensor([1])
    expect(stopGradient(x)).toBe(x)
    expect(() => stopGradient({ a: null as never })).toThrow(
      new TypeError('stopGradient: not a leaf, array or plain object at a [null]'),
    )
  })
})

function withTraceOf(f: (x: Tensor) => Tensor): { op: Op } {
  let seen: Op | undefined
  grad((x: Tensor) => {
    seen = f(x).trace!.op
    return sum(x)
  })(tensor([1]))
  return { op: seen! }
}

it('a gradient goes through a cast in the dtype of what was cast, rounded to it there', () => {
  const c = tensor([1 + 2 ** -10, 3])
  // 1 + 2^-10 is 1 in bfloat16.
  const f = (x: Tensor): Tensor => sum(mul(cast(cast(x, 'bfloat16'), 'float32'), c))
  const slope = grad(f)(tensor([1, 2]))
  expect(slope.dtype).toBe('float32')
  expect([...slope.toNumbers()]).toEqual([1, 3])
  const narrow = grad((x: Tensor) => sum(cast(x, 'float32')))(tensor([1, 2], { dtype: 'float8_e5m2' }))
  expect(narrow.dtype).toBe('float8_e5m2')
})
