import { checkpoint, grad, hessian, jacobian, jvp, scan, vjp } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { logAddExp, logSoftmax, softmax } from 'tpu-toolkit/numerics'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { apply, type Op, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from '../compile/difference.js'
import { everyOperation } from '../support/everyOperation.js'

const draw = seeded('jvp')
const vector = (n: number, low = -1, high = 1): Tensor =>
  tensor(
    Array.from({ length: n }, () => low + draw() * (high - low)),
    { dtype: 'float64' },
  )
const like = (x: Tensor): Tensor => t.reshape(vector(x.size), x.shape)
const dot = (a: Tensor, b: Tensor): number => {
  const [x, y] = [a.toNumbers(), b.toNumbers()]
  return x.reduce((sum, value, i) => sum + value * y[i]!, 0)
}

/** Both sides are sums of at most some hundred products in float64 whose factors are below 100. */
const tolerance = 1e-10

const more: Readonly<Record<string, { f: (x: Tensor) => Tensor; domain: readonly [number, number] }>> = {
  logAddExp: { f: (x) => logAddExp(t.slice(x, [[0, 8]]), t.slice(x, [[8, 16]])), domain: [-2, 2] },
  softmax: { f: (x) => softmax(t.reshape(x, [4, 4])), domain: [-2, 2] },
  'tied max': { f: (x) => t.max(t.take(x, [0, 1, 0, 1])), domain: [-2, 2] },
  sort: { f: (x) => t.sort(x), domain: [-2, 2] },
  scatterAdd: { f: (x) => t.scatterAdd(x, [1, 2, 1], t.slice(x, [[3, 6]])), domain: [-2, 2] },
  einsum: { f: (x) => t.einsum('ij,kj->ik', [t.reshape(x, [4, 4]), t.reshape(x, [4, 4])]), domain: [-2, 2] },
  checkpoint: { f: checkpoint((x: Tensor) => t.sin(t.exp(x))), domain: [-1, 1] },
  gradient: { f: grad((x: Tensor) => t.sum(t.mul(t.sin(x), t.cumprod(x)))), domain: [0.5, 1.5] },
  'gradient of a take': { f: grad((x: Tensor) => t.sum(t.exp(t.take(x, [1, 2, 1])))), domain: [0.5, 1.5] },
  scan: {
    f: (x) => {
      const [c, y] = scan(
        (carry: Tensor, row: Tensor) => [t.mul(carry, t.sin(t.add(row, carry))), t.mul(row, t.slice(x, [0]))],
        t.slice(x, [1]),
        t.slice(x, [[2, 16]]),
        { checkpoint: true, reverse: true },
      )
      return t.concat([t.reshape(c, [1]), y])
    },
    domain: [0.5, 1.5],
  },
}
const cases = Object.entries({ ...everyOperation, ...more }).filter(([name]) => name !== 'cast')

describe('jvp', () => {
  it.each(cases)('of %s is the transpose of vjp, and compiles to the same bits', (_, { f, domain }) => {
    const x = vector(16, ...domain)
    const change = vector(16)
    const value = f(x)
    if (!t.isFloat(value.dtype)) {
      expect(() => jvp(f, [x], [change])).toThrow(/^jvp: f does not return floats, cast them \[/)
      return
    }
    const [result, tangent] = jvp(f, [x], [change])
    expect(difference([result], [value])).toBeUndefined()
    expect([tangent.dtype, tangent.shape, tangent.trace]).toEqual([value.dtype, value.shape, undefined])
    const cotangent = like(value)
    const [gradient] = vjp(f, x)[1](cotangent)
    const [left, right] = [dot(tangent, cotangent), dot(gradient, change)]
    expect(Math.abs(left - right)).toBeLessThan(tolerance * (1 + Math.abs(left)))
    const both = compile((a: Tensor, b: Tensor) => jvp(f, [a], [b]))(x, change)
    expect(difference(both, [result, tangent])).toBeUndefined()
  })

  it.each(Object.keys(everyOperation))(
    'of %s keeps the dtype in bfloat16, and the bits where compiled',
    (name) => {
      const { f, domain } = everyOperation[name as keyof typeof everyOperation]
      const [x, change] = [t.cast(vector(16, ...domain), 'bfloat16'), t.cast(vector(16), 'bfloat16')]
      const value = f(x)
      if (!t.isFloat(value.dtype)) return
      const [result, tangent] = jvp(f, [x], [change])
      expect([tangent.dtype, tangent.shape]).toEqual([value.dtype, value.shape])
      const both = compile((a: Tensor, b: Tensor) => jvp(f, [a], [b]))(x, change)
      expect(difference(both, [result, tangent])).toBeUndefined()
    },
  )

  it("rounds once an operation: (x y)' is x' y + x y', three roundings in bfloat16", () => {
    const b = (x: number): Tensor => tensor(x, { dtype: 'bfloat16' })
    const [, d] = jvp(
      (x: Tensor, y: Tensor) => t.mul(x, y),
      [b(1.0078125), b(3)],
      [b(1.0078125), b(1.0078125)],
    )
    const exact = t.add(t.mul(b(1.0078125), b(3)), t.mul(b(1.0078125), b(1.0078125)))
    expect(d.item()).toBe(exact.item())
  })

  it('of max and min takes the mean over ties, halves at those of maximum; 0 at kinks', () => {
    const [x, d] = [tensor([3, 3, 1]), tensor([1, 3, 5])]
    expect(jvp((a: Tensor) => t.max(a), [x], [d])[1].item()).toBe(2)
    expect(
      jvp((a: Tensor, c: Tensor) => t.maximum(a, c), [x, x], [d, tensor([2, 2, 2])])[1].toNested(),
    ).toEqual([1.5, 2.5, 3.5])
    expect(jvp((a: Tensor) => t.relu(a), [tensor(0)], [tensor(1)])[1].item()).toBe(0)
    expect(jvp((a: Tensor) => t.max(a), [tensor([Number.NaN, 1])], [tensor([1, 1])])[1].item()).toBeNaN()
  })

  it('takes trees, gives 0 where nothing depends, and nests', () => {
    const f = ({ a, b }: { a: Tensor; b: Tensor }): { sum: Tensor; other: Tensor } => ({
      sum: t.add(a, b),
      other: tensor(7),
    })
    const [value, d] = jvp(f, [{ a: tensor(1), b: tensor(2) }], [{ a: tensor(10), b: tensor(20) }])
    expect([value.sum.item(), d.sum.item(), d.other.item()]).toEqual([3, 30, 0])
    const cube = (x: Tensor): Tensor => t.mul(t.mul(x, x), x)
    const one = tensor(1)
    const slope = (x: Tensor): Tensor => jvp(cube, [x], [one])[1]
    expect(jvp(slope, [tensor(2)], [one])[1].item()).toBe(12)
    expect(grad(slope)(tensor(2)).item()).toBe(12)
    // The inner change does not pass for the outer one: d/dx x (d/dy (x + y)) = 1.
    const inner = (x: Tensor): Tensor => t.mul(x, jvp((y: Tensor) => t.add(x, y), [tensor(1)], [one])[1])
    expect(jvp(inner, [tensor(1)], [one])[1].item()).toBe(1)
  })

  it('asks for the rule of an own operation, and checks what it gives', () => {
    const twice: Op = { name: 'twice', kernel: ([x]) => t.mul(x!, 2) }
    const f = (x: Tensor): Tensor => apply(twice, [x], undefined)
    const run = (rule?: (d: Tensor) => Tensor): Tensor =>
      jvp(
        f,
        [tensor([1])],
        [tensor([5])],
        rule ? { rules: new Map([[twice, ({ tangents: [d] }) => rule(d!)]]) } : {},
      )[1]
    expect(() => run()).toThrow('jvp: no tangent rule for this operation, give one by rules [twice]')
    expect(run((d) => t.mul(d, 2)).toNested()).toEqual([10])
    expect(() => run((d) => t.cast(d, 'bfloat16'))).toThrow(
      'jvp: the rule of twice gives another dtype than its result has [bfloat16, not float32]',
    )
    expect(() => run((d) => t.sum(d))).toThrow(
      'jvp: the rule of twice gives another shape than its result has [, not 1]',
    )
  })

  it('names what is wrong with its arguments', () => {
    const f = (x: Tensor): Tensor => x
    expect(() => jvp(f, [tensor(1)], [tensor(1, { dtype: 'bfloat16' })])).toThrow(
      'jvp: the tangent has another dtype than the primal at 0 [bfloat16, not float32]',
    )
    expect(() => jvp(f, [tensor(1, { dtype: 'int32' })], [tensor(1, { dtype: 'int32' })])).toThrow(
      'jvp: needs floating-point tensors in argument 0, cast them [int32]',
    )
    expect(() => jvp(f, tensor(1) as never, [tensor(1)])).toThrow('jvp: primals is not an array')
  })
})

describe('jacobian and hessian', () => {
  const f = (p: { w: Tensor; b: Tensor }, x: Tensor): Tensor =>
    t.tanh(t.add(t.matmul(x, p.w, { accumulate: 'float64' }), p.b))
  const p = { w: like(t.zeros([3, 2])), b: vector(2) }
  const x = like(t.zeros([4, 3]))

  it('jacobian: the rows are those of vjp, the columns those of jvp, bit for bit', () => {
    const value = f(p, x)
    const reverse = jacobian(f)(p, x)
    const forward = jacobian(f, { mode: 'forward' })(p, x)
    expect([reverse.w.shape, reverse.b.shape]).toEqual([
      [4, 2, 3, 2],
      [4, 2, 2],
    ])
    const pull = vjp((q: typeof p) => f(q, x), p)[1]
    const unit = (of: Tensor, k: number): Tensor =>
      tensor(
        Array.from({ length: of.size }, (_, i) => Number(i === k)),
        { shape: of.shape, dtype: of.dtype },
      )
    for (let k = 0; k < value.size; k++) {
      const [row] = pull(unit(value, k))
      const own = t.slice(t.reshape(reverse.w, [value.size, 3, 2]), [k])
      expect(difference([own], [row.w])).toBeUndefined()
    }
    for (let k = 0; k < p.w.size; k++) {
      const [, column] = jvp((w: Tensor) => f({ w, b: p.b }, x), [p.w], [unit(p.w, k)])
      const own = t.reshape(t.slice(t.reshape(forward.w, [value.size, 6]), [null, k]), value.shape)
      expect(difference([own], [column])).toBeUndefined()
    }
    const [a, b] = [reverse.w.toNumbers(), forward.w.toNumbers()]
    for (const [i, entry] of a.entries()) expect(Math.abs(entry - b[i]!)).toBeLessThan(1e-14)
  })

  it('jacobian takes argnums, several ones too, gives 0 where f does not depend, and compiles', () => {
    const g = (a: Tensor, b: Tensor, c: Tensor): { product: Tensor; b: Tensor } => ({
      product: t.mul(a, c),
      b,
    })
    const [a, b, c] = [tensor([1, 2]), tensor(5), tensor([3, 4])]
    const both = jacobian(g, { argnums: [0, -1] })(a, b, c)
    expect(both.product.map((each) => each.toNested())).toEqual([
      [
        [3, 0],
        [0, 4],
      ],
      [
        [1, 0],
        [0, 2],
      ],
    ])
    expect(both.b.map((each) => each.toNested())).toEqual([
      [0, 0],
      [0, 0],
    ])
    for (const mode of ['forward', 'reverse'] as const) {
      const compiled = compile(jacobian(f, { mode }))(p, x)
      const eager = jacobian(f, { mode })(p, x)
      expect(difference([compiled.w, compiled.b], [eager.w, eager.b])).toBeUndefined()
    }
    expect(() => jacobian(g, { mode: 'both' as never })).toThrow(
      'jacobian: unknown mode, there are reverse, forward [both]',
    )
    expect(() => jacobian(g, { argnums: 3 })(a, b, c)).toThrow('jacobian: argnums outside 3 arguments [3]')
    expect(() => jacobian((y: Tensor) => t.greater(y, 0))(a)).toThrow(
      'jacobian: f does not return floats, cast them [bool]',
    )
  })

  it('hessian: rows are those of a gradient of the gradient, to the last places, and it compiles', () => {
    const loss = (y: Tensor): Tensor => t.neg(t.slice(logSoftmax(t.mul(t.sin(y), t.cumprod(y))), [2]))
    const y = vector(5, 0.5, 1.5)
    const h = hessian(loss)(y)
    expect(h.shape).toEqual([5, 5])
    for (let k = 0; k < 5; k++) {
      const row = grad((z: Tensor) => t.slice(grad(loss)(z), [k]))(y).toNumbers()
      for (const [i, entry] of row.entries()) {
        expect(Math.abs(entry - t.slice(h, [k, i]).item())).toBeLessThan(1e-13 * (1 + Math.abs(entry)))
      }
    }
    expect(difference([compile(hessian(loss))(y)], [h])).toBeUndefined()
    const tree = hessian((q: { a: Tensor; b: Tensor }) => t.sum(t.mul(t.mul(q.a, q.a), q.b)))({
      a: tensor([1, 2]),
      b: tensor([3, 4]),
    })
    expect(tree.a.b.toNested()).toEqual([
      [2, 0],
      [0, 4],
    ])
    expect(tree.b.b.toNested()).toEqual([
      [0, 0],
      [0, 0],
    ])
  })
})
