import { broadcastTo, concat, reshape, slice, type Tensor } from '../../../tensors/tensor/index.js'

/** x with a value between its elements and around them along each axis; negative amounts take elements away. */
export function padded(
  x: Tensor,
  value: Tensor,
  low: readonly number[],
  high: readonly number[],
  interior: readonly number[],
): Tensor {
  let result = x
  for (let axis = 0; axis < x.rank; axis++) {
    result = between(result, value, axis, interior[axis]!)
    result = around(result, value, axis, low[axis]!, high[axis]!)
  }
  return result
}

/** So many values between any two neighbours along an axis. */
function between(x: Tensor, value: Tensor, axis: number, count: number): Tensor {
  const length = x.shape[axis]!
  if (count === 0 || length < 2) return x
  // Each element with the values behind it as a short axis of its own, then the last one's values cut.
  const before = x.shape.slice(0, axis)
  const after = x.shape.slice(axis + 1)
  const single = reshape(x, [...before, length, 1, ...after])
  const filling = broadcastTo(value, [...before, length, count, ...after])
  const all = reshape(concat([single, filling], { axis: axis + 1 }), [
    ...before,
    length * (count + 1),
    ...after,
  ])
  return slice(all, [...before.map(() => null), [0, length * (count + 1) - count]])
}

/** What is added comes first, so that a side may take away what the other one added. */
function around(x: Tensor, value: Tensor, axis: number, low: number, high: number): Tensor {
  const fill = (count: number): Tensor =>
    broadcastTo(
      value,
      x.shape.map((size, i) => (i === axis ? count : size)),
    )
  const parts = [...(low > 0 ? [fill(low)] : []), x, ...(high > 0 ? [fill(high)] : [])]
  const all = parts.length === 1 ? x : concat(parts, { axis })
  if (low >= 0 && high >= 0) return all
  const lead = x.shape.slice(0, axis).map(() => null)
  const length = all.shape[axis]!
  return slice(all, [...lead, [Math.max(0, -low), Math.max(0, length + Math.min(0, high))]])
}
