import { grad, jvp, scan, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { type DType, type Op, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from '../compile/difference.js'
import { everyOperation } from '../support/everyOperation.js'

const draw = seeded('vmap')
const random = (shape: readonly number[], dtype: DType = 'bfloat16', low = -1, high = 1): Tensor =>
  t.cast(
    tensor(
      Array.from({ length: t.sizeOf(shape) }, () => low + draw() * (high - low)),
      { shape },
    ),
    dtype,
  )
const whole = (shape: readonly number[], end: number): Tensor<'int32'> =>
  tensor(
    Array.from({ length: t.sizeOf(shape) }, () => Math.floor(draw() * end)),
    { shape, dtype: 'int32' },
  )

/** What f gives for each element of a batch of 3, stacked. */
function each(f: (...xs: Tensor[]) => Tensor, ...xs: Tensor[]): Tensor {
  return t.stack([0, 1, 2].map((i) => f(...xs.map((x) => t.slice(x, [i])))))
}
function agrees(f: (...xs: Tensor[]) => Tensor, ...xs: Tensor[]): void {
  const all = vmap(f)(...xs)
  expect(difference([all], [each(f, ...xs)])).toBeUndefined()
  expect(difference([compile(vmap(f))(...xs)], [all])).toBeUndefined()
}

describe('vmap: element i has the bits of f at element i, also where it is compiled', () => {
  it.each(Object.entries(everyOperation))('%s', (_, { f, domain: [low, high] }) => {
    for (const dtype of ['bfloat16', 'float64'] as const) agrees(f, random([3, 16], dtype, low, high))
  })

  it.each(Object.entries(everyOperation))(
    'the gradient and the tangent of %s',
    (name, { f, domain: [low, high] }) => {
      const x = random([3, 16], 'float32', low, high)
      if (!t.isFloat(f(t.slice(x, [0])).dtype) || name === 'cast') return
      agrees(
        grad((y: Tensor) => t.sum(t.mul(f(y), f(y)))),
        x,
      )
      agrees((y, d) => jvp(f, [y!], [d!])[1], x, random([3, 16], 'float32'))
    },
  )

  it('rows by indices, whichever has the batch, and their gradients', () => {
    const [table, x] = [random([5, 2]), random([3, 4, 5, 2])]
    const indices = whole([3, 2, 3], 5)
    agrees((i) => t.take(table, i as Tensor<'int32'>, { axis: 0 }), indices)
    agrees((y) => t.take(y!, [4, 0, 0], { axis: 1 }), x)
    agrees((y, i) => t.take(y!, i as Tensor<'int32'>, { axis: 1 }), x, indices)
    agrees((y, i) => t.takeAlongAxis(y!, i as Tensor<'int32'>, { axis: 1 }), x, whole([3, 4, 2, 2], 5))
    agrees((y) => t.sort(y!, { axis: 1, descending: true }), x)
    agrees((y) => t.topK(y!, 2, { axis: 0 }).values, x)
    agrees((i) => t.oneHot(i as Tensor<'int32'>, 4), indices)
    const loss = (y: Tensor, i: Tensor): Tensor => t.sum(t.exp(t.take(y, i as Tensor<'int32'>, { axis: 1 })))
    agrees((y, i) => grad(loss)(y!, i!), x, indices)
    expect(() =>
      vmap((y: Tensor, i: Tensor<'int32'>) => t.take(y, i, { axis: 1 }))(x, t.add(indices, 5)),
    ).toThrow(/outside an axis/)
  })

  it('loops: what is carried has the batch where something that it depends on has', () => {
    const w = random([2, 2])
    const f = (xs: Tensor, h: Tensor): Tensor => {
      const [last, ys] = scan(
        ({ k, s }: { k: Tensor<'int32'>; s: Tensor }, x: Tensor) => {
          const next = t.tanh(t.add(t.matmul(s, w), x))
          return [{ k: t.add(k, 1), s: next }, t.where(t.less(k, 2), next, x)]
        },
        { k: tensor(0, { dtype: 'int32' }), s: h },
        xs,
        { checkpoint: true },
      )
      return t.concat([t.reshape(last.s, [1, 2]), ys])
    }
    agrees(f as (...xs: Tensor[]) => Tensor, random([3, 5, 2]), random([3, 2]))
    agrees(grad((xs: Tensor, h: Tensor) => t.sum(f(xs, h))) as never, random([3, 5, 2]), random([3, 2]))
  })

  it("an operation of one's own: element by element, by a rule, or as it is where it is elementwise", () => {
    let runs = 0
    const own = (form?: 'elementwise'): Op => ({
      name: 'own',
      ...(form ? { form } : {}),
      kernel: ([x]) => {
        runs++
        return t.mul(x!, 2)
      },
    })
    const x = random([3, 4])
    const count = (op: Op, rules = {}): number => {
      runs = 0
      const all = vmap((y: Tensor) => t.apply(op, [y], undefined), rules)(x)
      expect(difference([all], [t.mul(x, 2)])).toBeUndefined()
      return runs
    }
    const op = own()
    expect(count(op)).toBe(4)
    expect(count(own('elementwise'))).toBe(2)
    expect(
      count(op, { rules: new Map([[op, ({ inputs: [y] }: { inputs: readonly Tensor[] }) => t.mul(y!, 2)]]) }),
    ).toBe(1)
  })
})

describe('vmap', () => {
  it('nests, takes trees and null, puts batches where outAxes says', () => {
    const outer = vmap(vmap(t.mul as (a: Tensor, b: Tensor) => Tensor, { inAxes: [null, 0] }), {
      inAxes: [0, null],
    })
    expect(outer(tensor([1, 2]), tensor([3, 4])).toNested()).toEqual([
      [3, 4],
      [6, 8],
    ])
    const f = (p: { w: Tensor; b: Tensor }, x: Tensor, scale: number): { y: Tensor; b: Tensor } => ({
      y: t.mul(t.add(t.mul(p.w, x), p.b), scale),
      b: p.b,
    })
    const all = vmap(f, { inAxes: [{ w: -1, b: null }, 0, null], outAxes: { y: 1, b: null } })(
      {
        w: tensor([
          [1, 2],
          [3, 4],
        ]),
        b: tensor([10, 20]),
      },
      tensor([
        [1, 1],
        [2, 2],
      ]),
      3,
    )
    expect([all.y.toNested(), all.b.toNested()]).toEqual([
      [
        [33, 42],
        [69, 84],
      ],
      [10, 20],
    ])
    expect(vmap((x: Tensor) => [t.exp(x), tensor(5)])(t.zeros([0, 2])).map(({ shape }) => shape)).toEqual([
      [0, 2],
      [0],
    ])
  })

  it('runs f once, and where somebody watches once for each element, with the same bits', () => {
    let runs = 0
    const f = (x: Tensor): Tensor => {
      runs++
      return t.softplus(t.sum(x))
    }
    const x = random([3, 4])
    const all = vmap(f)(x)
    expect(runs).toBe(1)
    const watched = t.observe(
      () => vmap(f)(x),
      () => {},
    )
    expect(runs).toBe(4)
    expect(difference([watched], [all])).toBeUndefined()
  })

  it('names what is wrong', () => {
    const x = tensor([
      [1, 2],
      [3, 4],
    ])
    const sum = (a: Tensor, b: Tensor): Tensor => t.add(a, b)
    expect(() => vmap(sum)(x, tensor([1, 2, 3]))).toThrow(
      'vmap: batches differ in length [2 at argument 0, 3 at argument 1]',
    )
    expect(() => vmap(sum, { inAxes: [0, 2] })(x, x)).toThrow(
      'vmap: axis outside 2 dimensions at argument 1 [2]',
    )
    expect(() => vmap(sum, { inAxes: [0] })(x, x)).toThrow(
      'vmap: inAxes has another length than the arguments [1, not 2]',
    )
    expect(() => vmap(sum, { inAxes: [null, null] })(x, x)).toThrow('vmap: no argument has a batch [')
    expect(() => vmap(sum, { outAxes: null })(x, x)).toThrow(
      'vmap: outAxes is null for a result that depends on the batch at the result [null]',
    )
    expect(() => vmap((p: { a: Tensor }) => p.a, { inAxes: [{ b: 0 }] })({ a: x })).toThrow(
      'vmap: inAxes differs from the tree at argument 0 [b, not a]',
    )
    expect(() => vmap((y: Tensor) => (y.toNumbers()[0]! > 0 ? y : t.neg(y)))(x)).toThrow(
      /^vmap: an element was read while the function was recorded, compute with where \[.*vmap.test.ts/,
    )
    expect(() =>
      vmap((y: Tensor) => t.cast(y, 'bfloat16', { rounding: 'stochastic', random: () => 1 }) as Tensor)(x),
    ).toThrow('vmap: cast draws random numbers from a function, in another order for a batch [cast]')
  })
})
