import { cast, matmul, type Tensor } from '../../../tensors/tensor/index.js'

/** Which product of a model is computed. */
export interface Site {
  /** Such as 'block 1, down'. */
  readonly layer: string
  /** Counts the products of the model from 0. */
  readonly index: number
  /** Random words of the training step, [2]: a product that rounds at random mixes its index into them. */
  readonly words: Tensor<'uint32'>
}

/** The product of a layer's input x [m, k] and its weights w [k, n], forward and back, in float32 [m, n]. */
export type Product = (x: Tensor, w: Tensor, site: Site) => Tensor

/** Attention of queries, keys and values [batch, heads, length, features of a head], in float32. */
export type Attend = (q: Tensor, k: Tensor, v: Tensor) => Tensor

/**
 * The product that recipes are compared with: operands, result and the cotangent in bfloat16, sums in float32, as training in
 * bfloat16 has it.
 */
export const bfloat16Product: Product = (x, w) =>
  cast(matmul(cast(x, 'bfloat16'), cast(w, 'bfloat16')), 'float32')

/** The product in float32 throughout. */
export const float32Product: Product = (x, w) => matmul(x, w)
