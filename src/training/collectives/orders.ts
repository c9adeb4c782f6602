import { add, cast, type FloatDType, Tensor } from '../../tensors/tensor/index.js'
import { chunkOf } from './chunks.js'

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

/** All chunks are under way at once: in hop h, chunk c meets replica c + h. */
function aroundRing(replicas: readonly Tensor[], accumulate: FloatDType): Tensor {
  let sum = cast(metInHop(replicas, 1), accumulate)
  for (let hop = 2; hop <= replicas.length; hop++) sum = add(sum, cast(metInHop(replicas, hop), accumulate))
  return sum
}

/** The elements that are added in one hop: chunk c of replica c + hop. */
function metInHop(replicas: readonly Tensor[], hop: number): Tensor {
  const { dtype, shape, size, data } = replicas[0]!
  const met = data.slice()
  const count = replicas.length
  // Past the n-th there are only empty chunks.
  for (let c = 0; c < Math.min(count, size); c++) {
    const { start, end } = chunkOf(size, count, c)
    met.set(replicas[(c + hop) % count]!.data.subarray(start, end) as never, start)
  }
  return new Tensor(dtype, shape, met)
}

function upTree(replicas: readonly Tensor[], accumulate: FloatDType): Tensor {
  const sums = replicas.map((x) => cast(x, accumulate))
  for (let reach = 1; reach < sums.length; reach *= 2) {
    for (let r = 0; r + reach < sums.length; r += 2 * reach) sums[r] = add(sums[r]!, sums[r + reach]!)
  }
  return sums[0]!
}
