import { optimizer as o, type Tensor } from 'tpu-toolkit'
import { grad, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile, withArithmetic } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, test } from 'vitest'
import { seed } from '../support/seed.js'

const everyCode = t.fromBits(
  Uint16Array.from({ length: 2 ** 16 }, (_, code) => code),
  { shape: [2 ** 16], dtype: 'bfloat16' },
)

const bitsOf = (tree: unknown): string =>
  leavesOf(tree as Tensor[])
    .map((x) => Array.from(x.toBits(), String).join(' '))
    .join(' | ')

/** In how many elements two tensors differ, the sign and payload of a NaN left out. */
function differences(a: Tensor, b: Tensor): number {
  const [x, y] = [a.toNumbers(), b.toNumbers()]
  return x.reduce((count, value, i) => count + (Object.is(value, y[i]) ? 0 : 1), 0)
}

describe('withArithmetic of xla-cpu', () => {
  // jax 0.10.2 on the CPU, each function over all 65,536 bfloat16 codes against the correctly rounded result: how many differ.
  const measured = [
    ['exp', t.exp, 11],
    ['log', t.log, 254],
    ['log1p', t.log1p, 254],
    ['sqrt', t.sqrt, 254],
    ['rsqrt', t.rsqrt, 254],
    ['cbrt', t.cbrt, 254],
    ['tanh', t.tanh, 0],
    ['expm1', t.expm1, 0],
    ['sin', t.sin, 0],
    ['cos', t.cos, 0],
    ['reciprocal', t.reciprocal, 700],
    ['square', t.square, 1022],
  ] as const
  test.each(measured)(
    "%s differs from the correctly rounded one in as many codes as JAX's",
    (_, f, count) => {
      expect(differences(withArithmetic('xla-cpu', (x: Tensor) => f(x))(everyCode), f(everyCode))).toBe(count)
    },
  )

  test('flushes what is subnormal before and after arithmetic, and moves it as it is', () => {
    const x = t.tensor([1e-40, -1e-40, 2e-38])
    const run = (f: (x: Tensor) => Tensor): number[] => [...withArithmetic('xla-cpu', f)(x).toNumbers()]
    expect(run((y) => t.mul(y, 1))).toEqual([0, -0, Math.fround(2e-38)])
    expect(run((y) => t.mul(y, 0.5))).toEqual([0, -0, 0])
    expect(run((y) => t.cast(t.equal(y, 0), 'float32'))).toEqual([1, 1, 0])
    expect(run((y) => t.sign(y))).toEqual([0, -0, 1])
    expect(run((y) => t.neg(t.flip(y)))).toEqual([
      Math.fround(-2e-38),
      Math.fround(1e-40),
      Math.fround(-1e-40),
    ])
  })

  test('compiled leaves out only the flushes of what is never subnormal', () => {
    const edge = [0, -0, 2 ** -149, -(2 ** -149), 2 ** -127, -(2 ** -126), 2 ** -126, 1, -3, Infinity, NaN]
    const factors = [1, 0.5, -1, 2 ** -60]
    for (const dtype of ['float32', 'bfloat16', 'float16', 'float8_e5m2', 'float8_e8m0fnu'] as const) {
      const x = t.tensor(
        edge.flatMap((a) => factors.map(() => a)),
        { dtype },
      )
      const y = t.tensor(
        edge.flatMap(() => factors),
        { dtype },
      )
      const f = withArithmetic('xla-cpu', (a: Tensor, b: Tensor) => [
        t.mul(t.mul(a, b), 0.5),
        t.add(t.cast(t.mul(a, b), 'bfloat16'), 2 ** -130),
        t.sqrt(t.reshape(t.mul(t.mul(a, 2 ** -100), b), [11, 4])),
        t.mul(t.neg(t.cast(a, 'float32')), 1),
      ])
      const compiled = compile(f)
      expect(bitsOf(compiled(x, y))).toBe(bitsOf(f(x, y)))
    }
    const doubled = compile(withArithmetic('xla-cpu', (x: Tensor) => t.mul(x, 2)))
    const flushes = (x: Tensor): number => {
      doubled(x)
      return String(doubled.plan()).split('flush').length - 1
    }
    expect(flushes(t.tensor([1, 2]))).toBe(2)
    expect(flushes(t.tensor([1, 2], { dtype: 'float16' }))).toBe(1)
  })

  const tiny = t.tensor([1e-40])
  const square = t.reshape(tiny, [1, 1])
  test.each<[string, (x: Tensor) => Tensor, number]>([
    ['add', (x) => t.add(x, x), 0],
    ['sub', (x) => t.sub(x, t.tensor([0])), 0],
    ['minimum', (x) => t.minimum(x, 1), 0],
    ['maximum', (x) => t.maximum(x, -1), 0],
    ['relu', (x) => t.relu(x), 0],
    ['matmul', () => t.matmul(square, t.tensor([[1]])), 0],
    ['notEqual', (x) => t.notEqual(x, 0), 0],
    ['less', (x) => t.less(0, x), 0],
    ['lessEqual', (x) => t.lessEqual(x, 0), 1],
    ['greater', (x) => t.greater(x, 0), 0],
    ['greaterEqual', (x) => t.greaterEqual(t.tensor([0]), x), 1],
    ['cumprod, which nobody has measured,', (x) => t.cumprod(x), Math.fround(1e-40)],
  ])('%s of what is subnormal', (_, f, expected) => {
    expect([...withArithmetic('xla-cpu', f)(tiny).toNumbers()]).toEqual([expected])
    expect([...f(tiny).toNumbers()]).not.toEqual(expected === Math.fround(1e-40) ? [0] : [expected])
  })

  test('divides an array by one number by its rounded reciprocal, anything else truly', () => {
    const by = (x: Tensor, y: Tensor | number): number[] => [
      ...withArithmetic('xla-cpu', (a: Tensor, b: Tensor | number) => t.div(a, b))(x, y).toNumbers(),
    ]
    const [a, single] = [t.tensor([41, 82]), t.tensor([41])]
    const product = Math.fround(41 * Math.fround(1 / 41))
    expect(product).not.toBe(1)
    expect(by(a, 41)).toEqual([product, 2 * product])
    expect(by(a, single)).toEqual([product, 2 * product])
    expect(by(single, 41)).toEqual([1])
    expect(by(a, t.tensor([41, 41]))).toEqual([1, 2])
    // 1 / 2^127 is subnormal.
    expect(by(a, 2 ** 127)).toEqual([0, 0])
  })

  test('adds vectors by windows of 32 and scans rows of 16, in the dtypes of XLA', () => {
    const draw = seeded(`xla sums ${seed}`)
    const values = Array.from({ length: 100 }, () => draw() - 0.5)
    for (const dtype of ['float32', 'bfloat16'] as const) {
      const x = t.tensor(values, { dtype })
      const table = t.reshape(x, [20, 5])
      const in32 = { accumulate: 'float32' } as const
      const of = (f: (x: Tensor) => Tensor, y: Tensor): string => bitsOf([withArithmetic('xla-cpu', f)(y)])
      expect(of((y) => t.sum(y), x)).toBe(bitsOf([t.sum(x, { order: { windowed: 32 }, ...in32 })]))
      expect(of((y) => t.sum(y), table)).toBe(bitsOf([t.sum(table, in32)]))
      expect(of((y) => t.cumsum(y), x)).toBe(bitsOf([t.cumsum(x, { order: { blocked: 16 } })]))
      const wide = t.sum(t.cast(table, 'float32'), { axis: 0 })
      expect(of((y) => t.mean(y, { axis: 0 }), table)).toBe(bitsOf([t.cast(t.mul(wide, 1 / 20), dtype)]))
    }
  })

  // The optimizers' own 'xla-cpu' is held to optax's trajectories. optax divides a tree of one leaf as XLA divides every array.
  test.each(['float32', 'bfloat16', 'float16'] as const)(
    `makes of adam, sgd and lion of one %s leaf the optimizers of optax's bits (seed ${seed})`,
    (dtype) => {
      const draw = seeded(`xla optimizers ${dtype} ${seed}`)
      const odd = [0, -0, 1e-40, -1e-39, 1e-30, 1e30, Infinity, Number.NaN]
      const leaf = (): Tensor =>
        t.tensor(
          Array.from({ length: 90 }, () =>
            draw() < 0.1 ? odd[Math.floor(draw() * odd.length)]! : draw() - 0.5,
          ),
          { dtype },
        )
      const makers = [
        (arithmetic: o.Arithmetic) => o.adam({ learningRate: 0.01, arithmetic }),
        (arithmetic: o.Arithmetic) => o.sgd({ learningRate: 0.1, momentum: 0.9, arithmetic }),
        (arithmetic: o.Arithmetic) => o.lion({ learningRate: 0.1, arithmetic }),
      ]
      for (const make of makers) {
        const [own, plain] = [make('xla-cpu'), make('ieee')] as readonly o.GradientTransformation[]
        const run = withArithmetic('xla-cpu', (g: Tensor, s: o.State, p: Tensor) => {
          const [u, next] = plain!.update(g, s, p)
          return [o.applyUpdates(p, u), next] as const
        })
        let p = leaf()
        let state = own!.init(p)
        for (let k = 0; k < 5; k++) {
          const g = leaf()
          const [u, next] = own!.update(g, state, p)
          const [q, other] = run(g, state, p)
          p = o.applyUpdates(p, u, { arithmetic: 'xla-cpu' })
          state = next
          expect(bitsOf([q, o.stateToTree(other)])).toBe(bitsOf([p, o.stateToTree(state)]))
        }
      }
    },
  )

  test('compiles, gradients inside included, to the same bits', () => {
    const draw = seeded(`xla compiled ${seed}`)
    const values = (n: number): number[] =>
      Array.from({ length: n }, () => (draw() - 0.5) * 10 ** (draw() * -40))
    for (const dtype of ['float32', 'bfloat16', 'float16'] as const) {
      const x = t.tensor(values(70), { shape: [10, 7], dtype })
      const w = t.tensor(values(7), { dtype })
      const loss = (v: Tensor, y: Tensor): Tensor =>
        t.mean(t.sqrt(t.add(t.square(t.div(t.mul(y, v), 3)), 1e-38)))
      const f = withArithmetic('xla-cpu', valueAndGrad(loss))
      const compiled = compile(f)
      expect(bitsOf(compiled(w, x))).toBe(bitsOf(f(w, x)))
      expect(compiled.plan().recorded).toBeGreaterThan(10)
    }
  })

  test('has gradients from outside: of a zero that was subnormal 0', () => {
    const f = withArithmetic('xla-cpu', (x: Tensor) => t.sum(t.mul(x, 3)))
    expect(grad(f)(t.tensor([2, 1e-40])).toNested()).toEqual([3, 0])
  })

  test('ends with its function, runs compiled functions one operation after the other, and is the function itself in ieee', () => {
    const tiny = t.tensor([1e-40])
    const f = (x: Tensor): Tensor => t.mul(x, 1)
    const compiled = compile(f)
    expect(compiled(tiny).item()).not.toBe(0)
    expect(withArithmetic('xla-cpu', compiled)(tiny).item()).toBe(0)
    expect(() => withArithmetic('xla-cpu', () => t.add(t.tensor([1, 2]), t.tensor([1, 2, 3])))()).toThrow(
      'add',
    )
    expect(f(tiny).item()).not.toBe(0)
    expect(withArithmetic('ieee', f)).toBe(f)
  })

  test('writes into out', () => {
    const out = t.zeros([2])
    const x = t.tensor([1e-40, 3])
    expect(withArithmetic('xla-cpu', (y: Tensor<'float32'>) => t.mul(y, 2, { out }))(x)).toBe(out)
    expect(out.toNested()).toEqual([0, 6])
  })

  test('refuses names and what is no function', () => {
    expect(() => withArithmetic('xla' as never, (x: Tensor) => x)).toThrow('xla-cpu')
    expect(() => withArithmetic('xla-cpu', 3 as never)).toThrow('withArithmetic: f is not a function')
  })
})
