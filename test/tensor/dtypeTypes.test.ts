import * as t from 'tpu-toolkit'
import { describe, expectTypeOf, it } from 'vitest'

type B = t.Tensor<'bfloat16'>
type F = t.Tensor<'float32'>
declare const bf: B
declare const f32: F
declare const any: t.Tensor

// Types only: nothing here runs, the compiler checks it.
const never = (_: () => unknown): void => {}

/** What generic code writes composes without a cast. */
function generic<D extends t.DType>(x: t.Tensor<D>, y: t.Tensor<D>, list: t.Tensor<D>[]): t.Tensor<D> {
  const total = t.add(t.mul(x, 2), t.sub(1, y))
  const chosen = t.where(t.less(x, y), total, t.cast(y, x.dtype))
  const joined = t.concat([chosen, t.stack(list), t.concat(list)])
  return t.matmul(joined, t.exp(x, { out: y }))
}

describe('operands of two dtypes', () => {
  it('do not compile in arithmetic, comparisons and products; one dtype gives that dtype', () => {
    for (const f of [t.add, t.sub, t.mul, t.div, t.minimum, t.maximum, t.pow, t.atan2, t.hypot]) {
      never(() => {
        expectTypeOf(f(bf, bf)).toEqualTypeOf<B>()
        expectTypeOf(f(bf, 1)).toEqualTypeOf<B>()
        expectTypeOf(f(1, bf)).toEqualTypeOf<B>()
        expectTypeOf(f(bf, any)).toEqualTypeOf<B>()
        expectTypeOf(f(any, bf)).toEqualTypeOf<B>()
        // @ts-expect-error dtypes differ
        f(bf, f32)
        // @ts-expect-error dtypes differ
        f(f32, bf)
        // @ts-expect-error out has another dtype
        f(bf, bf, { out: f32 })
      })
    }
    for (const f of [t.equal, t.notEqual, t.less, t.lessEqual, t.greater, t.greaterEqual]) {
      never(() => {
        expectTypeOf(f(bf, bf)).toEqualTypeOf<t.Tensor<'bool'>>()
        expectTypeOf(f(0, bf)).toEqualTypeOf<t.Tensor<'bool'>>()
        // @ts-expect-error dtypes differ
        f(bf, f32)
      })
    }
    for (const f of [t.matmul, t.naiveMatmul, t.stableMatmul] as const) {
      // @ts-expect-error dtypes differ
      never(() => f(bf, f32))
    }
    never(() => {
      expectTypeOf(t.matmul(bf, bf)).toEqualTypeOf<B>()
      expectTypeOf(t.matmul(bf, any)).toEqualTypeOf<B>()
      expectTypeOf(t.stableMatmul(bf, bf, { dtype: 'float32' })).toEqualTypeOf<F>()
      // @ts-expect-error dtypes differ
      t.matmul(bf, f32)
      // @ts-expect-error out has another dtype
      t.matmul(bf, bf, { out: f32 })
      // @ts-expect-error dtypes differ
      t.logAddExp(bf, f32)
      // @ts-expect-error dtypes differ
      t.ulpDistance(bf, f32)
    })
  })

  it('do not compile in where, concat and stack', () => {
    never(() => {
      const condition = t.less(bf, 0)
      expectTypeOf(t.where(condition, 0, bf)).toEqualTypeOf<B>()
      expectTypeOf(t.where(condition, bf, 0)).toEqualTypeOf<B>()
      // @ts-expect-error dtypes differ
      t.where(condition, bf, f32)
      expectTypeOf(t.concat([bf, bf])).toEqualTypeOf<B>()
      const some: t.Tensor = bf
      expectTypeOf(t.concat([bf, some])).toEqualTypeOf<B>()
      expectTypeOf(t.concat([some, bf])).toEqualTypeOf<B>()
      expectTypeOf(t.stack([bf, some])).toEqualTypeOf<B>()
      expectTypeOf(t.stack([bf, bf, bf], { axis: 1 })).toEqualTypeOf<B>()
      expectTypeOf(t.concat([] as B[])).toEqualTypeOf<B>()
      expectTypeOf(t.stack([bf].map((x) => x))).toEqualTypeOf<B>()
      // @ts-expect-error dtypes differ
      t.concat([bf, f32])
      // @ts-expect-error -- the other way round.
      t.concat([f32, bf])
      // @ts-expect-error dtypes differ
      t.stack([bf, bf, f32])
    })
  })

  it('do not compile in concat and stack of three and more, wherever they stand; a dtype known of one is that of all', () => {
    for (const f of [t.concat, t.stack] as const) {
      never(() => {
        const some: t.Tensor = bf
        expectTypeOf(f([bf, bf, some])).toEqualTypeOf<B>()
        expectTypeOf(f([bf, some, bf])).toEqualTypeOf<B>()
        expectTypeOf(f([some, bf, bf])).toEqualTypeOf<B>()
        expectTypeOf(f([some, some, bf, some])).toEqualTypeOf<B>()
        expectTypeOf(f([some, some, some])).toEqualTypeOf<t.Tensor>()
        expectTypeOf(f([bf, ...[bf, bf]])).toEqualTypeOf<B>()
        expectTypeOf(f([some, some] as t.Tensor[])).toEqualTypeOf<t.Tensor>()
        // @ts-expect-error dtypes differ
        f([bf, f32, bf])
        // @ts-expect-error dtypes differ
        f([f32, bf, bf])
        // @ts-expect-error dtypes differ
        f([some, bf, f32])
        // @ts-expect-error dtypes differ
        f([bf, some, f32])
        // @ts-expect-error dtypes differ
        f([bf, f32, some, some])
        // @ts-expect-error dtypes differ, both written in the list
        f([t.tensor([1]), t.tensor([1], { dtype: 'bfloat16' })])
        // @ts-expect-error a number is no tensor
        f([bf, 1])
        // @ts-expect-error nor are two
        f([1, 2])
      })
    }
  })

  it('do not compile as an operand and its out; options typed by Parameters go with any dtype', () => {
    never(() => {
      // @ts-expect-error out has another dtype
      t.exp(bf, { out: f32 })
      // @ts-expect-error out has another dtype
      t.sum(bf, { axis: 0, out: f32 })
      // @ts-expect-error out has another dtype
      t.cumsum(bf, { out: f32 })
      expectTypeOf(t.exp(bf, { out: bf })).toEqualTypeOf<B>()
      const running: Parameters<typeof t.cumsum>[1] = { accumulate: 'float32', out: bf }
      expectTypeOf(t.cumsum(bf, running)).toEqualTypeOf<B>()
      const products: Parameters<typeof t.cumprod>[1] = { axis: 0 }
      expectTypeOf(t.cumprod(bf, products)).toEqualTypeOf<B>()
      const sums: Parameters<typeof t.sum>[1] = { axis: 0 }
      expectTypeOf([t.sum(bf, sums), t.mean(bf, sums)]).toEqualTypeOf<B[]>()
      const extremes: Parameters<typeof t.max>[1] = { axis: 0 }
      expectTypeOf([t.max(bf, extremes), t.min(bf, extremes)]).toEqualTypeOf<B[]>()
      expectTypeOf(t.cumsum(any, { out: bf })).toEqualTypeOf<t.Tensor>()
      // @ts-expect-error out has another dtype
      t.mean(bf, { axis: 0, out: f32 })
      // @ts-expect-error out has another dtype
      t.max(bf, { axis: 0, out: f32 })
      // @ts-expect-error out has another dtype
      t.cumprod(bf, { out: f32 })
      expectTypeOf(generic(bf, bf, [bf])).toEqualTypeOf<B>()
    })
  })
})
