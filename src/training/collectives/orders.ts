import { add, cast, type FloatDType, type Tensor } from '../../tensors/tensor/index.js'
import { chunkOf } from './chunks.js'
import { sumInPieces } from './nccl/pieces.js'

/**
 * How the replicas x0 ... x(N-1) of a tensor are added, every addition rounded to the accumulator's dtype.
 * 'ring': N chunks. Chunk c starts at replica c + 1, goes round, and is complete at replica c, so that
 *   it is ((x(c+1) + x(c+2)) + ... ) + x(c), indices modulo N: each chunk in an order of its own.
 * 'tree': in round k replica r takes the partial sum of replica r + 2^k, for every r divisible by 2^(k+1).
 * 'all-to-all': replica c is sent chunk c by all others and adds x0 + x1 + ... in the order of the replicas.
 */
export type ReduceOrder = 'ring' | 'tree' | 'all-to-all'

export const reduceOrders: readonly ReduceOrder[] = ['ring', 'tree', 'all-to-all']

/** The sum of tensors of one shape and dtype, in the accumulator's dtype. */
export function sumInOrder(replicas: readonly Tensor[], order: ReduceOrder, accumulate: FloatDType): Tensor {
  switch (order) {
    case 'ring':
      return aroundRing(replicas, accumulate)
    case 'tree':
      return upTree(replicas, accumulate)
    case 'all-to-all':
      return replicas.map((x) => cast(x, accumulate)).reduce((sum, x) => add(sum, x))
    default:
      return order satisfies never
  }
}

function aroundRing(replicas: readonly Tensor[], accumulate: FloatDType): Tensor {
  const count = replicas.length
  const { size } = replicas[0]!
  // Past the n-th there are only empty chunks.
  const pieces = Array.from({ length: Math.min(count, size) }, (_, c) => ({
    ...chunkOf(size, count, c),
    order: replicas.map((_, hop) => (c + 1 + hop) % count),
  }))
  return sumInPieces(replicas, pieces, accumulate)
}

function upTree(replicas: readonly Tensor[], accumulate: FloatDType): Tensor {
  const sums = replicas.map((x) => cast(x, accumulate))
  for (let reach = 1; reach < sums.length; reach *= 2) {
    for (let r = 0; r + reach < sums.length; r += 2 * reach) sums[r] = add(sums[r]!, sums[r + reach]!)
  }
  return sums[0]!
}
