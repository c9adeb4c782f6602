import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { cast, checkFloatDType, div, type FloatDType, type Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { type NcclReduceOptions, ncclOrders, ncclReduction } from './nccl/ncclOptions.js'
import { ncclSum } from './nccl/ncclSum.js'
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
 * NCCL      'nccl-ring' and 'nccl-tree' have the chunks, channels and trees of NCCL, which are options: additions in the leaves'
 *           dtype, which is bfloat16, float16, float32 or float64; a mean multiplies every addend by 1/N first, rounded
 *           to the dtype. Described from its source, not measured. Which algorithm, how many channels and which rings a run has depends on
 *           its machines; reductions inside switches (NVLS, SHARP) are not among them.
 * Source    ring: NCCL, src/device/all_reduce.h, runRing (chunk c is first sent by rank c + 1 and completed by rank c);
 *           jax.lax.psum leaves order and accumulator to the compiler. tree: binomial, as MPI_Reduce
 *           (doi:10.1177/1094342005051521). NCCL's: src/graph/trees.cc and connect.cc (the double binary tree, after
 *           Sanders, Speck, Traeff, doi:10.1016/j.parco.2009.09.001), src/device/all_reduce.h (runRing, runTreeSplit),
 *           src/enqueue.cc (channels, chunks, the factor of a mean)
 *
 * @example const replicas = [256, 1, 1].map((x) => tensor([x], { dtype: 'bfloat16' }))
 * allReduce(replicas, { order: 'all-to-all' }).item() // 256
 * allReduce(replicas, { order: 'ring' }).item() // 258
 * allReduce(replicas, { order: 'all-to-all', accumulate: 'float32' }).item() // 258
 * allReduce(replicas, { order: 'nccl-tree' }).item() // 258
 */
export function allReduce<P extends Treelike>(
  replicas: readonly P[],
  options: AllReduceOptions | NcclReduceOptions,
): P {
  if (isNccl(options)) {
    const how = ncclReduction('allReduce', options, Array.isArray(replicas) ? replicas.length : 1)
    return perLeaf('allReduce', replicas, (leaves) => ncclSum('allReduce', leaves, how))
  }
  checkReduction('allReduce', options, [...reduceOrders, ...ncclOrders])
  return perLeaf('allReduce', replicas, (leaves) => reduceLeaf(leaves, options))
}

const isNccl = (options: AllReduceOptions | NcclReduceOptions): options is NcclReduceOptions =>
  typeof options === 'object' && options !== null && (ncclOrders as readonly string[]).includes(options.order)

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
export function checkReduction(name: string, options: AllReduceOptions, orders: readonly string[]): void {
  checkOptions(name, options, names, { positional: 'order' })
  const { order, op = 'sum', accumulate } = options
  checkName(name, 'order', order, orders)
  checkName(name, 'op', op, ['sum', 'mean'])
  if (accumulate !== undefined) checkFloatDType(name, 'accumulate', accumulate)
}
