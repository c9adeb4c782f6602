import { lecunNormal } from '../../../models/nn/index.js'
import { foldIn, type Key } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  type FloatDType,
  matmul,
  maximum,
  slice,
  type Tensor,
  take,
} from '../../../tensors/tensor/index.js'
import { prompts, sequence, tokens } from './chainTask.js'

/** The parameters of the policy, in float32. */
export interface PolicyParameters {
  /** Rows for a prompt, a place and a token before (or none), [.., width]. */
  readonly prompt: Tensor
  readonly place: Tensor
  readonly before: Tensor
  readonly layers: readonly { readonly up: Tensor; readonly down: Tensor }[]
  readonly head: Tensor
}

/** How an engine adds up a matrix product. */
export type ProductOrder =
  /** One float32 sum, rounded once. */
  | 'whole'
  /** Two halves, each rounded to the dtype, then added: what a kernel does that splits the summed dimension. */
  | 'split'

/** Fresh parameters. */
export function initPolicy(
  key: Key,
  { width, layers }: { readonly width: number; readonly layers: number },
): PolicyParameters {
  const normal = lecunNormal()
  const rows = (stream: number, count: number): Tensor => normal(foldIn(key, stream), [count, width])
  return {
    prompt: rows(0, prompts),
    place: rows(1, sequence),
    before: rows(2, tokens + 1),
    layers: Array.from({ length: layers }, (_, i) => ({
      up: normal(foldIn(key, 10 + 2 * i), [width, 2 * width]),
      down: normal(foldIn(key, 11 + 2 * i), [2 * width, width]),
    })),
    head: normal(foldIn(key, 3), [width, tokens]),
  }
}

/** The inputs of a policy for each token that is to be written, [n] each. */
export interface PolicyInputs {
  readonly prompt: Tensor<'int32'>
  readonly place: Tensor<'int32'>
  /** The token before; `tokens` for none. */
  readonly before: Tensor<'int32'>
}

/** Logits [n, tokens] in the dtype, in which every operation is rounded. */
export function logitsOf(
  params: PolicyParameters,
  { prompt, place, before }: PolicyInputs,
  dtype: FloatDType,
  order: ProductOrder,
): Tensor {
  const read = (x: Tensor): Tensor => cast(x, dtype)
  const product = (x: Tensor, w: Tensor): Tensor => (order === 'whole' ? matmul(x, w) : splitProduct(x, w))
  const row = (table: Tensor, at: Tensor<'int32'>): Tensor => take(read(table), at, { axis: 0 })
  let x = add(add(row(params.prompt, prompt), row(params.place, place)), row(params.before, before))
  for (const { up, down } of params.layers) {
    x = add(x, product(maximum(product(x, read(up)), 0), read(down)))
  }
  return product(x, read(params.head))
}

function splitProduct(x: Tensor, w: Tensor): Tensor {
  const half = Math.floor(w.shape[0]! / 2)
  const part = (from: number, to: number): Tensor =>
    matmul(slice(x, [null, [from, to]]), slice(w, [[from, to]]))
  return add(part(0, half), part(half, w.shape[0]!))
}
