// A user's file, type-checked by declarations.test.ts against the emitted declarations with TypeScript 5.0 and 6.0.
import * as t from 'tpu-toolkit'

type Same<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false

const bf = t.tensor([1, 2], { dtype: 'bfloat16' })
const f32 = t.tensor([1, 2])

const sums = t.add(bf, bf)
const weak = t.mul(2, t.sub(bf, 1))
const products = t.matmul(bf, bf)
const chosen = t.where(t.less(bf, 0), 0, bf)
const joined = t.concat([bf, sums])
const stacked = t.stack([bf].map((x) => t.exp(x)))
const reduced = t.sum(bf, { axis: 0, accumulate: 'float32' })
export const alike: Same<
  [
    typeof sums,
    typeof weak,
    typeof products,
    typeof chosen,
    typeof joined,
    typeof stacked,
    typeof reduced,
  ][number],
  t.Tensor<'bfloat16'>
> = true
export const plain: Same<typeof f32, t.Tensor<'float32'>> = true

// @ts-expect-error dtypes differ
t.add(bf, f32)
// @ts-expect-error dtypes differ
t.less(bf, f32)
// @ts-expect-error dtypes differ
t.matmul(bf, f32)
// @ts-expect-error dtypes differ
t.concat([bf, f32])
// @ts-expect-error dtypes differ
t.stack([bf, f32])
// @ts-expect-error dtypes differ
t.where(t.less(bf, 0), bf, f32)
// @ts-expect-error dtypes differ
t.stableMatmul(bf, f32)
// @ts-expect-error out has another dtype
t.exp(bf, { out: f32 })
// @ts-expect-error no such option
t.cumsum(bf, { accumlate: 'float32' })
// @ts-expect-error options are a record
t.sum(bf, 0)

/** Generic code composes without casts. */
export function scaled<D extends t.DType>(x: t.Tensor<D>, by: t.Tensor<D>, rows: t.Tensor<D>[]): t.Tensor<D> {
  return t.concat([t.div(t.mul(x, by), 2), t.stack(rows), t.cast(x, by.dtype)])
}

/** An operation of one's own says what it reads, or leaves that out. */
export const half: t.Op = {
  name: 'half',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x]) => t.mul(x!, 0.5),
}
export const shape: Same<typeof t.ops.reshape, t.KnownOp<t.Shaping>> = true
