import { applyRope, ropeCache, ropeFrequencies } from '../../../models/kernels/index.js'
import { reshape, slice, type Tensor, transpose } from '../../../tensors/tensor/index.js'

/** Features of a head. */
const headFeatures = 16

/** Rows of a batch, as attention sees them and back. */
export interface Heads {
  /** Queries and keys, turned by RoPE, and values, [batch, heads, length, features of a head], of [rows, 3 width]. */
  split(qkv: Tensor): [Tensor, Tensor, Tensor]
  /** [rows, width]. */
  together(attended: Tensor): Tensor
}

/** The heads of a batch of windows. */
export function headsOf({
  batch,
  length,
  width,
}: {
  readonly batch: number
  readonly length: number
  readonly width: number
}): Heads {
  const heads = width / headFeatures
  const cache = ropeCache(
    ropeFrequencies({ dim: headFeatures }),
    Array.from({ length }, (_, position) => position),
  )
  const turned = (x: Tensor): Tensor => applyRope(x as Tensor<'float32'>, cache, { layout: 'half' })
  const byHead = (x: Tensor, part: number): Tensor =>
    transpose(
      reshape(slice(x, [null, [part * width, (part + 1) * width]]), [batch, length, heads, headFeatures]),
      [0, 2, 1, 3],
    )
  return {
    split: (qkv) => [turned(byHead(qkv, 0)), turned(byHead(qkv, 1)), byHead(qkv, 2)],
    together: (attended) => reshape(transpose(attended, [0, 2, 1, 3]), [batch * length, width]),
  }
}
