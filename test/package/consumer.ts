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

const some: t.Tensor = bf
const three = t.concat([some, bf, some])
const running: Parameters<typeof t.cumsum>[1] = { accumulate: 'float32' }
const passed = t.cumsum(bf, running)
export const known: Same<[typeof three, typeof passed][number], t.Tensor<'bfloat16'>> = true

// @ts-expect-error dtypes differ
t.stack([some, bf, f32])
// @ts-expect-error dtypes differ, both written in the list
t.concat([t.tensor([1]), t.tensor([1], { dtype: 'bfloat16' })])
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

/** Parameters keep their type, an interface too. */
interface Layer {
  readonly w: t.Tensor
  readonly b: t.Tensor
}
export interface Net {
  readonly layers: readonly Layer[]
  readonly head: t.Tensor
}
declare const net: Net
const loss = ({ head }: Net, x: t.Tensor): t.Tensor => t.mean(t.mul(head, x))
const adamw = t.optimizer.adamw({ learningRate: 0.1 })
const step = t.optimizer.makeTrainStep(t.autodiff.valueAndGrad(loss), adamw)
const first = step({ params: net, state: adamw.init(net) }, f32)
const second = step(first, f32)
const [updates] = t.optimizer.masked(adamw, true).update(net, { inner: [] }, net)
const stored = t.lowprecision.storedParams(adamw, { mode: 'kahan' }).init({ w: [f32] })
const doubled = t.tree.mapTree((x): t.Tensor => t.mul(x, 2), net)
const sizes = t.tree.mapTree((x) => x.size, net)
export const kept: Same<
  [
    typeof first.params,
    typeof second.params,
    typeof updates,
    typeof doubled,
    ReturnType<typeof t.optimizer.applyUpdates<Net>>,
    ReturnType<typeof t.optimizer.emaUpdate<Net>>,
  ][number],
  Net
> = true
export const counts: Same<typeof sizes.head, number> = true
export const anyDtype: Same<typeof stored.params, { w: t.Tensor[] }> = true
export const steps: number = second.state[0].count
// @ts-expect-error no such option
t.optimizer.adamw({ learningRate: 0.1, weight_decay: 0.1 })
// @ts-expect-error no parameters
t.optimizer.applyUpdates(3, net)
// @ts-expect-error a number is no tensor
adamw.init({ w: 3 })
