import { checkpoint, grad, jvp, scan, stopGradient, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import {
  add,
  cast,
  div,
  exp,
  type FloatDType,
  log,
  matmul,
  maximum,
  mul,
  neg,
  reshape,
  slice,
  stack,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from '../compile/difference.js'
import { seed } from '../support/seed.js'

type Values = readonly Tensor[]
type Step = (carry: Values, x: Values) => readonly [Tensor[], Tensor[]]

/** A random loop, and what it is run on. */
interface Body {
  readonly step: (captured: Values) => Step
  readonly captured: Values
  readonly init: Values
  readonly xs: Values
  readonly length: number
  readonly reverse: boolean
  /** A number from what the loop gives, which need not read all of it. */
  readonly loss: (captured: Values, carry: Values, ys: Values) => Tensor
}

function randomBody(draw: () => number): Body {
  const below = (n: number): number => Math.floor(draw() * n)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!
  const dtype = pick<FloatDType>(['bfloat16', 'bfloat16', 'float32', 'float16', 'float8_e4m3fn', 'float64'])
  const special = draw() < 0.3 ? [0, -0, 1, -1] : draw() < 0.1 ? [0, -0, Infinity] : []
  const random = (shape: number[]): Tensor =>
    cast(
      tensor(
        Array.from({ length: shape.reduce((n, k) => n * k, 1) }, () =>
          special.length > 0 && draw() < 0.4 ? pick(special) : draw() * 3 - 1.5,
        ),
        { shape },
      ),
      dtype,
    )
  const shape = pick([[], [2], [2, 2]])
  const length = 1 + below(5)
  const many = (least: number, most: number, of: number[]): Tensor[] =>
    Array.from({ length: least + below(most - least + 1) }, () => random(of))
  const [captured, init, xs] = [many(0, 3, shape), many(1, 3, shape), many(0, 2, [length, ...shape])]
  type Making = (pool: Values) => Tensor
  const [first, inputs] = [captured.length, captured.length + init.length + xs.length]
  const makings: Making[] = []
  for (let i = 0; i < 2 + below(9); i++) {
    const any = (): number => below(inputs + i)
    const [a, b] = [any(), draw() < 0.3 ? pick([inputs + i - 1, 0]) : any()]
    const constant = Math.round(draw() * 600 - 300) / 100
    const f = pick<(x: Tensor, y: Tensor) => Tensor>([
      add,
      sub,
      mul,
      mul,
      (x, y) => mul(x, add(y, constant)),
      (x) => mul(x, constant),
      (x) => tanh(x),
      (x) => neg(x),
      (x) => exp(x),
      (x) => log(x),
      div,
      maximum,
      (x, y) => add(x, sum(y)),
      (x, y) => (x.rank === 2 ? matmul(x, y) : mul(x, x)),
      (x, y) => mul(stopGradient(x), y),
      (x, y) => checkpoint((u: Tensor, v: Tensor) => mul(add(u, v), tanh(mul(u, x))))(x, y),
      (x, y) => add(scan((c: Tensor) => [mul(c, y), tanh(add(c, y))], x, null, { length: 3 })[0], x),
    ])
    makings.push((pool) => f(pool[a]!, pool[b]!))
  }
  const size = inputs + makings.length
  const next = init.map(() => first + below(size - first))
  const gives = Array.from({ length: 1 + below(3) }, () => first + below(size - first))
  const read = [...init, ...gives].map(() => draw() < 0.6)
  const outside = draw() < 0.4
  return {
    ...{ captured, init, xs, length, reverse: draw() < 0.3 },
    step: (from) => (carry, x) => {
      const pool = [...from, ...carry, ...x]
      for (const making of makings) pool.push(making(pool))
      return [next.map((i) => pool[i]!), gives.map((i) => pool[i]!)]
    },
    loss: (from, carry, ys) => {
      const parts = [...carry, ...ys].filter((_, i) => read[i]).map((x) => sum(mul(x, x)))
      const more = outside ? [...from, ...carry].map((x) => sum(mul(x, 3))) : []
      return [...parts, ...more].reduce((a, b) => add(a, b), tensor(0, { dtype }))
    },
  }
}

/** The loop as scan's documentation writes it out. */
function written(
  { length, reverse }: Body,
  step: Step,
  init: Values,
  rows: readonly Values[],
): [Values, Values] {
  const through = (values: Values): Values => values.map((x) => reshape(x, x.shape))
  let carry = init
  const ys: Tensor[][] = []
  for (let k = 0; k < length; k++) {
    const i = reverse ? length - 1 - k : k
    const [next, y] = step(through(carry), rows[i]!)
    carry = next
    ys[i] = y
  }
  return [through(carry), ys[0]!.map((_, j) => stack(ys.map((row) => row[j]!)))]
}

const count = Number(process.env['SCAN_BODIES'] ?? 80)

describe(`scan of ${count} random bodies (seed ${seed})`, () => {
  it('has the bits of the loop written out: value, gradient, derivative along a direction; compiled, with checkpoint, over a batch', () => {
    const draw = seeded(`bodies ${seed}`)
    for (let i = 0; i < count; i++) {
      const body = randomBody(draw)
      const { length, reverse } = body
      const args = [body.captured, body.init, body.xs] as const
      const byScan =
        (options: { checkpoint?: boolean }) =>
        (captured: Values, init: Values, xs: Values): Tensor => {
          const [carry, ys] = scan<Values, Values, Tensor[]>(body.step(captured), init, xs, {
            ...{ length, reverse },
            ...options,
          })
          return body.loss(captured, carry, ys)
        }
      const byLoop = (captured: Values, init: Values, rows: readonly Values[]): Tensor =>
        body.loss(captured, ...written(body, body.step(captured), init, rows))
      const rows = Array.from({ length }, (_, i) => body.xs.map((x) => slice(x, [i])))
      const loopArgs = [body.captured, body.init, rows] as const
      const flat = (tree: unknown): Tensor[] => (tree as Values[]).flat()
      const wrt = { argnums: [0, 1, 2] } as const
      const [ofCaptured, ofInit, ofRows] = grad(byLoop, wrt)(...loopArgs) as unknown as [
        Values,
        Values,
        Values[],
      ]
      const expected = [
        ...ofCaptured,
        ...ofInit,
        ...body.xs.map((_, j) => stack(ofRows.map((row) => row[j]!))),
      ]
      const same = (what: string, given: Values, other: Values = expected): void =>
        expect(`body ${i}, ${what}: ${difference(given, other)}`).toBe(`body ${i}, ${what}: undefined`)
      same('value', [byScan({})(...args)], [byLoop(...loopArgs)])
      same('gradient', flat(grad(byScan({}), wrt)(...args)))
      // Rows of xs that nothing depends on may be -0 with checkpoint, which cuts xs.
      const unsigned = (list: Values): Tensor[] =>
        list.map((x, k) => (k < list.length - body.xs.length ? x : add(x, 0)))
      const kept = flat(grad(byScan({ checkpoint: true }), wrt)(...args))
      same('with checkpoint', unsigned(kept), unsigned(expected))
      if (i % 5 === 0) {
        same('compiled', flat(compile((...given: typeof args) => grad(byScan({}), wrt)(...given))(...args)))
        const lead = <T extends Values>(list: T): Tensor[] => list.map((x) => stack([x, x]))
        const batch = vmap(grad(byScan({}), wrt))(lead(args[0]), lead(args[1]), lead(args[2]))
        same(
          'over a batch',
          flat(batch).map((x) => slice(x, [1])),
        )
      }
      const [, along] = jvp(byScan({}), args, args)
      same('tangent', [along], [jvp(byLoop, loopArgs, loopArgs)[1]])
    }
  })
})
