import { scan, valueAndGrad, vjp } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import {
  add,
  cast,
  type DType,
  exp,
  less,
  matmul,
  mul,
  sub,
  sum,
  type Tensor,
  take,
  tanh,
  tensor,
  where,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from './difference.js'

const draw = seeded('compiled scan')
const random = (shape: number[], dtype: DType): Tensor =>
  cast(
    tensor(
      Array.from({ length: shape.reduce((n, k) => n * k, 1) }, () => draw() * 2 - 1),
      { shape },
    ),
    dtype,
  )

/** A cell with matrices from outside, a counter, values that are exchanged, and a table that the counter reads. */
function model(w: Tensor, table: Tensor, init: readonly Tensor[], xs: Tensor, options: object): Tensor[] {
  const count: Tensor<'int32'> = tensor(0, { dtype: 'int32' })
  const [last, ys] = scan(
    ({ h, g, k, m }: { h: Tensor; g: Tensor; k: Tensor<'int32'>; m: Tensor }, x: Tensor) => {
      const next = tanh(add(matmul(h, w), mul(x, take(table, k, { axis: 0 }))))
      const wide = where(less(next, g), next, exp(g))
      return [
        { h: g, g: h, k: where(less(k, 2), add(k, 1), 0), m: add(m, sum(wide)) },
        { wide, k, next },
      ]
    },
    { h: init[0]!, g: init[1]!, k: count, m: init[2]! },
    xs,
    options,
  )
  return [last.h, last.g, last.m, last.k, ys.wide, ys.next, ys.k]
}

describe('a loop inside of compile', () => {
  for (const dtype of ['bfloat16', 'float64', 'float8_e4m3fn'] as const) {
    for (const options of [
      {},
      { reverse: true },
      { checkpoint: true },
      { reverse: true, checkpoint: true },
    ]) {
      it(`gives the bits of the loop itself, ${dtype}, ${JSON.stringify(options)}`, () => {
        for (const n of [1, 7]) {
          const [w, table] = [random([3, 3], dtype), random([3], dtype)]
          const init = [random([2, 3], dtype), random([2, 3], dtype), random([], dtype)]
          const xs = random([n, 2, 3], dtype)
          const f = (v: Tensor, t: Tensor, start: readonly Tensor[], given: Tensor): Tensor[] =>
            model(v, t, start, given, options)
          const floats = (v: Tensor, t: Tensor, start: readonly Tensor[], given: Tensor): Tensor[] =>
            f(v, t, start, given).filter((x) => x.dtype !== 'int32')
          const eager = f(w, table, init, xs)
          const compiled = compile(f)
          expect(difference(compiled(w, table, init, xs), eager)).toBeUndefined()
          expect(difference(compiled(w, table, init, xs), eager)).toBeUndefined()
          const cotangents = eager
            .filter((x) => x.dtype !== 'int32')
            .map(({ shape }) => random([...shape], dtype))
          const pull = (
            v: Tensor,
            t: Tensor,
            start: readonly Tensor[],
            given: Tensor,
            g: Tensor[],
          ): Tensor[] => {
            const [dw, dt, di, dx] = vjp(floats, v, t, start, given)[1](g)
            return [dw, dt, ...di, dx]
          }
          const back = compile(pull)
          const expected = pull(w, table, init, xs, cotangents)
          expect(difference(back(w, table, init, xs, cotangents), expected)).toBeUndefined()
          expect(difference(back(w, table, init, xs, cotangents), expected)).toBeUndefined()
        }
      })
    }
  }

  it('is one step of the plan, forward and back, however long', () => {
    const loss = (decay: Tensor, xs: Tensor): Tensor => {
      const [, ys] = scan(
        (c: Tensor, x: Tensor) => {
          const next = add(mul(c, decay), mul(x, sub(1, decay)))
          return [next, next]
        },
        tensor(0),
        xs,
      )
      return sum(mul(ys, ys), { accumulate: 'float64' })
    }
    const plans = [10, 300].map((n) => {
      const f = compile(valueAndGrad(loss, { argnums: [0, 1] }))
      f(tensor(0.9), random([n], 'float32'))
      return f.plan()
    })
    const [short, long] = plans as [(typeof plans)[0], (typeof plans)[0]]
    expect(long.steps.length).toBe(short.steps.length)
    expect(long.steps.filter(({ kind }) => kind === 'scan').map(({ shape }) => shape)).toEqual([[300], [300]])
    expect(String(long)).toContain('scan')
  })

  it('keeps about 2 sqrt(n) of what is carried with checkpoint, and every one without', () => {
    const n = 900
    const width = 64
    const loss =
      (checkpoint: boolean) =>
      (h: Tensor, xs: Tensor): Tensor =>
        sum(scan((c: Tensor, x: Tensor) => [tanh(add(mul(c, x), c)), null], h, xs, { checkpoint })[0])
    const [h, xs] = [random([width], 'float32'), random([n], 'float32')]
    const made = [false, true].map((checkpoint) => {
      const f = compile(valueAndGrad(loss(checkpoint), { argnums: [0, 1] }))
      const [value, gradients] = f(h, xs)
      return { results: [value, ...gradients], bytes: f.plan().peakBytes }
    })
    expect(difference(made[1]!.results, made[0]!.results)).toBeUndefined()
    expect(made[0]!.bytes).toBeGreaterThan(n * width * 4)
    // Two arrays of 30 rows, and xs with its gradient in a few forms.
    expect(made[1]!.bytes).toBeLessThan(2 * Math.sqrt(n) * width * 4 + 5 * n * 4)
  })

  it('is run by its program, not by the function itself', () => {
    let runs = 0
    const f = compile((xs: Tensor) => {
      runs++
      return scan((c: Tensor, x: Tensor) => [add(c, x), c], tensor(0), xs)
    })
    for (let k = 0; k < 3; k++) f(random([20], 'float32'))
    expect(runs).toBe(1)
    expect(f.profile([random([20], 'float32')]).steps.map(({ kind }) => kind)).toEqual(['scan'])
  })
})
