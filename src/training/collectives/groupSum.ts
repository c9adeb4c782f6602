import {
  add,
  cast,
  concat,
  type FloatDType,
  reshape,
  slice,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { sumInOrder } from './orders.js'

/**
 * How the devices of a group add what they hold.
 * 'ring', 'tree' and 'all-to-all' as `ReduceOrder`; 'bidirectional': two rings, the first half of the elements one way round
 * and the second half the other, so that both directions of every link are used.
 */
export type GroupOrder = 'ring' | 'bidirectional' | 'tree' | 'all-to-all'

export const groupOrders: readonly GroupOrder[] = ['ring', 'bidirectional', 'tree', 'all-to-all']

/** The sum of tensors of one shape, as an all-reduce makes it, in the accumulator's dtype. */
export function groupSum(parts: readonly Tensor[], order: GroupOrder, accumulate: FloatDType): Tensor {
  if (order !== 'bidirectional') return sumInOrder(parts, order, accumulate)
  const { shape, size } = parts[0]!
  const half = Math.ceil(size / 2)
  const flat = parts.map((part) => reshape(part, [size]))
  const forward = flat.map((part) => slice(part, [[0, half]]))
  const backward = flat.map((part) => slice(part, [[half, size]])).reverse()
  return reshape(
    concat([sumInOrder(forward, 'ring', accumulate), sumInOrder(backward, 'ring', accumulate)]),
    shape,
  )
}

/**
 * Chunk c of the sum, for the device that ends with it, the parts being chunk c of every device. Round a ring it comes by way of
 * c + 1, c + 2, ... and is complete at c.
 */
export function chunkSum(
  parts: readonly Tensor[],
  c: number,
  order: 'ring' | 'bidirectional' | 'all-to-all',
  accumulate: FloatDType,
): Tensor {
  const n = parts.length
  const inOrder = (met: readonly Tensor[]): Tensor =>
    met.map((part) => cast(part, accumulate)).reduce((sum, part) => add(sum, part))
  const round = (step: number): readonly Tensor[] =>
    parts.map((_, i) => parts[(c + step * (i + 1) + n * n) % n]!)
  if (order === 'all-to-all') return inOrder(parts)
  if (order === 'ring') return inOrder(round(1))
  const { shape, size } = parts[0]!
  const half = Math.ceil(size / 2)
  const piece = (part: Tensor, from: number, to: number): Tensor => slice(reshape(part, [size]), [[from, to]])
  return reshape(
    concat([
      inOrder(round(1).map((part) => piece(part, 0, half))),
      inOrder(round(-1).map((part) => piece(part, half, size))),
    ]),
    shape,
  )
}
