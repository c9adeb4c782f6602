import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { cast, checkFloatDType, div, type FloatDType, type Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { type ReduceOrder, reduceOrders, sumInOrder } from './orders.js'
import { perLeaf } from './replicas.js'

/** How replicas are reduced. */
export interface AllReduceOptions {
  /** Who adds what to what. */
  readonly order: ReduceOrder
  /** The sum, or the sum divided by the number of replicas. Default: 'sum'. */
  readonly op?: 'sum' | 'mean'
  /** The dtype of partial sums, in which a ring and a tree send them. Default: the tensors' own. */
  readonly accumulate?: FloatDType
}

const names: OptionTable<AllReduceOptions> = { order: 'required', op: 'optional', accumulate: 'optional' }

/**
 * The sum or mean over N simulated replicas, as every one of them holds it afterwards: each sum is made once, by one
 * replica, and then copied, so that all end with the same bits.
 *
 * Shape     N trees of one structure, dtypes and shapes; the result is such a tree. Each leaf is cut into chunks by
 *           itself, in row-major order; sizes that N does not divide give chunks that differ by one element.
 * Dtype     of the leaves, which must be floating-point.
 * Rounding  each of the N - 1 additions to `accumulate`, nearest even, in the order of `order`; then once to the
 *           leaves' dtype: the total, or the quotient of the total and N.
 * Special   as additions have it: NaN, and Inf - Inf, give NaN. Overflow of a partial sum stays, also of a mean.
 * Error     with u of `accumulate` and S = sum |x_r|: at most d u S / (1 - d u), where an element passes through d
 *           additions: N - 1 in 'ring' and 'all-to-all', ceil(log2 N) in 'tree'; then the last rounding. That is
 *           `errorBound('sum', { n: N, dtype, accumulate, order })`, 'sequential' or 'pairwise'.
 * Source    ring: NCCL, src/device/all_reduce.h, runRing (chunk c is first sent by rank c + 1 and completed by rank c);
 *           jax.lax.psum leaves order and accumulator to the compiler. tree: binomial, as MPI_Reduce
 *           (doi:10.1177/1094342005051521); NCCL's tree adds two children in one node.
 *
 * @example const replicas = [256, 1, 1].map((x) => tensor([x], { dtype: 'bfloat16' }))
 * allReduce(replicas, { order: 'all-to-all' }).item() // 256
 * allReduce(replicas, { order: 'ring' }).item() // 258
 * allReduce(replicas, { order: 'all-to-all', accumulate: 'float32' }).item() // 258
 */
export function allReduce<P extends Treelike>(replicas: readonly P[], options: AllReduceOptions): P {
  checkReduction('allReduce', options, reduceOrders)
  return perLeaf('allReduce', replicas, (leaves) => reduceLeaf(leaves, options))
}

/** One leaf of all replicas, reduced. */
export function reduceLeaf(
  leaves: readonly Tensor[],
  { order, op = 'sum', accumulate }: AllReduceOptions,
): Tensor {
  const dtype = leaves[0]!.dtype as FloatDType
  const total = sumInOrder(leaves, order, accumulate ?? dtype)
  if (op === 'sum') return cast(total, dtype)
  // float64 has more than twice the bits of narrower dtypes, so that the quotient is rounded as if once.
  return cast(div(cast(total, 'float64'), leaves.length), dtype)
}

/** Throws for options that are none. */
export function checkReduction(
  name: string,
  options: AllReduceOptions,
  orders: readonly ReduceOrder[],
): void {
  checkOptions(name, options, names, { positional: 'order' })
  const { order, op = 'sum', accumulate } = options
  checkName(name, 'order', order, orders)
  checkName(name, 'op', op, ['sum', 'mean'])
  if (accumulate !== undefined) checkFloatDType(name, 'accumulate', accumulate)
}
