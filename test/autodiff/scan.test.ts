import { grad, hessian, jacobian, scan, vjp } from 'tpu-toolkit/autodiff'
import { seeded } from 'tpu-toolkit/random'
import {
  add,
  cast,
  type DType,
  exp,
  matmul,
  mul,
  observe,
  reshape,
  slice,
  stack,
  sum,
  type Tensor,
  tanh,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from '../compile/difference.js'

const draw = seeded('scan')
const random = (shape: number[], dtype: DType): Tensor =>
  cast(
    tensor(
      Array.from({ length: shape.reduce((n, k) => n * k, 1) }, () => draw() * 2 - 1),
      { shape },
    ),
    dtype,
  )

interface Carry {
  readonly h: Tensor
  readonly s: Tensor
}
type Step = (carry: Carry, x: Tensor) => readonly [Carry, { y: Tensor; h: Tensor }]

/** The loop written out, its carry read through one operation a step. */
function written(
  f: Step,
  init: Carry,
  xs: readonly Tensor[],
  reverse = false,
): [Carry, { y: Tensor; h: Tensor }] {
  let carry = init
  const rows: { y: Tensor; h: Tensor }[] = []
  for (let k = 0; k < xs.length; k++) {
    const i = reverse ? xs.length - 1 - k : k
    const through = (x: Tensor): Tensor => reshape(x, x.shape)
    const [next, y] = f({ h: through(carry.h), s: through(carry.s) }, xs[i]!)
    carry = next
    rows[i] = y
  }
  return [carry, { y: stack(rows.map(({ y }) => y)), h: stack(rows.map(({ h }) => h)) }]
}

const flat = (tree: { h: Tensor; s: Tensor }, ys: { y: Tensor; h: Tensor }): Tensor[] => [
  tree.h,
  tree.s,
  ys.h,
  ys.y,
]

describe('scan', () => {
  for (const dtype of ['bfloat16', 'float64', 'float8_e4m3fn'] as const) {
    for (const [n, reverse, checkpoint] of [
      [1, false, false],
      [2, true, false],
      [7, false, false],
      [7, true, true],
      [11, false, true],
      [9, true, true],
    ] as const) {
      it(`${dtype}: the bits of the loop written out, ${n} steps, reverse ${reverse}, checkpoint ${checkpoint}, forward and gradient`, () => {
        const [w, b] = [random([3, 3], dtype), random([3], dtype)]
        const init = { h: random([2, 3], dtype), s: random([], dtype) }
        const xs = random([n, 2, 3], dtype)
        const rows = Array.from({ length: n }, (_, i) => slice(xs, [i]))
        const step =
          (v: Tensor, c: Tensor): Step =>
          ({ h, s }, x) => {
            const next = tanh(add(add(matmul(h, v), x), mul(c, s)))
            return [
              { h: next, s: add(s, sum(mul(c, c))) },
              { y: exp(mul(next, v.dtype === dtype ? h : next)), h: next },
            ]
          }
        const outs = (v: Tensor, c: Tensor, start: Carry, given: Tensor): Tensor[] =>
          flat(...scan(step(v, c), start, given, { reverse, checkpoint }))
        const reference = (v: Tensor, c: Tensor, start: Carry, given: readonly Tensor[]): Tensor[] =>
          flat(...written(step(v, c), start, given, reverse))
        const [result, pull] = vjp(outs, w, b, init, xs)
        const [expected, pullReference] = vjp(reference, w, b, init, rows)
        expect(difference(result, expected)).toBeUndefined()
        expect(difference(outs(w, b, init, xs), expected)).toBeUndefined()
        const cotangents = expected.map(({ shape }) => random([...shape], dtype))
        const [dw, db, dinit, dxs] = pull(cotangents)
        const [ew, eb, einit, exs] = pullReference(cotangents)
        expect(
          difference([dw, db, dinit.h, dinit.s, dxs], [ew, eb, einit.h, einit.s, stack([...exs])]),
        ).toBeUndefined()
        expect([dw, db, dxs].every(({ trace }) => trace === undefined)).toBe(true)
      })
    }
  }

  const running = (c: Tensor, x: Tensor): [Tensor, Tensor] => [add(c, x), add(c, x)]

  it('records f once, and gives as many rows as xs has: none, one', () => {
    let runs = 0
    const f = (c: Tensor, x: Tensor): [Tensor, Tensor] => {
      runs++
      return running(c, x)
    }
    for (const n of [0, 1, 50]) {
      runs = 0
      const [last, ys] = scan(f, tensor(1), tensor(new Float32Array(n).fill(2)))
      expect([last.item(), ys.shape, runs]).toEqual([1 + 2 * n, [n], 1])
      const d = grad((c: Tensor, xs: Tensor) => {
        const [end, all] = scan(running, c, xs, { checkpoint: true })
        return add(end, sum(all))
      })(tensor(1), tensor(new Float32Array(n).fill(2)))
      expect(d.item()).toBe(n + 1)
    }
  })

  it('takes no xs, trees, and results that are none', () => {
    const [{ a, b }, none] = scan(
      ({ a, b }: { a: Tensor; b: Tensor }) => [{ a: b, b: add(a, b) }, undefined],
      { a: tensor(0), b: tensor(1) },
      null,
      { length: 10 },
    )
    expect([a.item(), b.item(), none]).toEqual([55, 89, undefined])
  })

  it('is differentiated again, in both modes', () => {
    const f = (x: Tensor): Tensor => {
      const [c, ys] = scan(
        (h: Tensor, row: Tensor) => [mul(h, tanh(mul(row, h))), mul(h, row)],
        slice(x, [0]),
        x,
      )
      return add(c, sum(ys))
    }
    const g = (x: Tensor): Tensor => {
      let h = slice(x, [0])
      const ys: Tensor[] = []
      for (let i = 0; i < x.size; i++) {
        const row = slice(x, [i])
        ys.push(mul(h, row))
        h = mul(h, tanh(mul(row, h)))
      }
      return add(h, sum(stack(ys)))
    }
    const x = random([5], 'float64')
    const [own, written] = [hessian(f)(x).toNumbers(), hessian(g)(x).toNumbers()]
    const reverse = jacobian(grad(f))(x).toNumbers()
    for (const [i, entry] of written.entries()) {
      expect(Math.abs(own[i]! - entry)).toBeLessThan(1e-14)
      expect(Math.abs(reverse[i]! - entry)).toBeLessThan(1e-14)
    }
  })

  it('is written out where somebody watches, with the same bits', () => {
    const xs = random([6], 'bfloat16')
    const zero = tensor(0, { dtype: 'bfloat16' })
    let seen = 0
    for (const reverse of [false, true]) {
      const watched = observe(
        () => scan(running, zero, xs, { reverse }),
        () => seen++,
      )
      expect(difference(watched, scan(running, zero, xs, { reverse }))).toBeUndefined()
    }
    expect(seen).toBeGreaterThan(24)
  })

  it('names what is wrong', () => {
    const xs = tensor([1, 2])
    const one = tensor(1)
    expect(() => scan((c: Tensor) => [cast(c, 'bfloat16') as Tensor, c], { h: one } as never, xs)).toThrow()
    expect(() =>
      scan(({ h }: { h: Tensor }) => [{ h: cast(h, 'bfloat16') as Tensor }, h], { h: one }, xs),
    ).toThrow('scan: the carry changes its dtype at h, cast it [float32, then bfloat16]')
    expect(() => scan((c: Tensor, x: Tensor) => [stack([c, x]), c], one, xs)).toThrow(
      'scan: the carry changes its shape [, then 2]',
    )
    expect(() => scan((c: Tensor) => [[c] as unknown as Tensor, c], one, xs)).toThrow('scan: trees differ at')
    expect(() => scan((c: Tensor) => c as never, one, xs)).toThrow(
      'scan: f does not return [carry, result] [',
    )
    expect(() => scan(running, one, { a: xs, b: tensor([1]) } as never)).toThrow(
      'scan: xs differ in length at b [1, not 2]',
    )
    expect(() => scan(running, one, xs, { length: 3 })).toThrow('scan: xs differ in length [2, not 3]')
    expect(() => scan(running, one, one)).toThrow('scan: a scalar has no rows [float32 []]')
    expect(() => scan((c: Tensor) => [c, c], one, null)).toThrow(
      'scan: without xs the option length is required [no xs]',
    )
    expect(() => scan((c: Tensor) => [c.item() > 0 ? c : mul(c, 2), c], one, xs)).toThrow(
      /^scan: an element was read while the function was recorded, compute with where \[.*scan.test.ts/,
    )
  })
})
