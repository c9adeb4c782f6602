import { grad, scan, vjp } from 'tpu-toolkit/autodiff'
import {
  add,
  type DType,
  mul,
  cast,
  exp,
  matmul,
  observe,
  reshape,
  sin,
  stack,
  sum,
  tanh,
  Tensor,
  tensor,
  slice,
  zeros,
} from 'tpu-toolkit/tensor'
import { seeded } from 'tpu-toolkit/random'
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
function written(f: Step, init: Carry, xs: readonly Tensor[], reverse = false): [Carry, { y: Tensor; h: Tensor }] {
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

const flat = (tree: { h: Tensor; s: Tensor }, ys: { y: Tensor; h: Tensor }): Tensor[] => [tree.h, tree.s, ys.h, ys.y]

describe('scan', () => {
  for (const dtype of ['bfloat16', 'float32', 'float64', 'float16', 'float8_e4m3fn'] as const) {
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
            return [{ h: next, s: add(s, sum(mul(c, c))) }, { y: exp(mul(next, v.dtype === dtype ? h : next)), h: next }]
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
        expect(difference([dw, db, dinit.h, dinit.s, dxs], [ew, eb, einit.h, einit.s, stack([...exs])])).toBeUndefined()
        expect([dw, db, dxs].every(({ trace }) => trace === undefined)).toBe(true)
      })
    }
  }
})
