import {
  isFloat,
  reshape,
  sizeOf,
  sum,
  type Tensor,
  transpose,
  zeros,
} from '../../../tensors/tensor/index.js'
import { padded } from '../moving/pad.js'

/** The longest window of XLA's CPU backend along an axis. */
const longest = 32

/**
 * A sum over axes in the order of XLA's CPU backend: as long as an axis is longer than 32, sums of windows of up to 32 along each
 * axis, padded with zeros on both sides alike, take the place of their elements; then one sum, row by row.
 *
 * Source    XLA, hlo/transforms/simplifiers/tree_reduction_rewriter.cc; measured with jax 0.10.2.
 */
export function windowedSum(x: Tensor, axes: readonly number[]): Tensor {
  const how = isFloat(x.dtype) ? { accumulate: x.dtype } : {}
  let now = x
  while (axes.some((axis) => now.shape[axis]! > longest)) {
    const sizes = now.shape.map((length, axis) => (axes.includes(axis) ? Math.min(length, longest) : 1))
    const missing = now.shape.map((length, axis) => Math.ceil(length / sizes[axis]!) * sizes[axis]! - length)
    const low = missing.map((count) => Math.floor(count / 2))
    const all = padded(
      now,
      zeros([], { dtype: x.dtype }),
      low,
      missing.map((count, axis) => count - low[axis]!),
      missing.map(() => 0),
    )
    // [windows, places] of each axis, then all windows and all places.
    const split = reshape(
      all,
      all.shape.flatMap((length, axis) => [length / sizes[axis]!, sizes[axis]!]),
    )
    const windows = sizes.map((_, axis) => 2 * axis)
    const places = sizes.map((_, axis) => 2 * axis + 1)
    const counts = windows.map((axis) => split.shape[axis]!)
    const rows = reshape(transpose(split, [...windows, ...places]), [...counts, sizeOf(sizes)])
    now = sum(rows, { axis: -1, ...how })
  }
  return sum(now, { axis: [...axes], ...how })
}
