import { concat, reshape, slice, type Tensor } from '../../tensors/tensor/index.js'
import {
  checkSameTree,
  leavesOf,
  mapTree,
  pathsOf,
  replaceLeaves,
  type Treelike,
} from '../../tensors/tree/index.js'
import { type AllReduceOptions, checkReduction, reduceLeaf } from './allReduce.js'
import { chunkOf } from './chunks.js'
import { firstOf, perLeaf } from './replicas.js'

/** How replicas are reduced, and scattered. */
export interface ReduceScatterOptions extends AllReduceOptions {
  readonly order: 'ring' | 'all-to-all'
}

/**
 * The first half of a ring or all-to-all all-reduce: replica c ends with chunk c of the sum or mean, and no more.
 *
 * Shape     N trees of one structure -> N trees, the leaves one-dimensional: chunk c of the elements in row-major
 *           order, the first ones one longer where N does not divide (`jax.lax.psum_scatter` wants that it does).
 * Dtype, Rounding, Special, Error, Source  as `allReduce`.
 *
 * @example const replicas = [tensor([1, 2, 3]), tensor([10, 20, 30])]
 * reduceScatter(replicas, { order: 'ring' }).map((x) => x.toNested()) // [[11, 22], [33]]
 */
export function reduceScatter<P extends Treelike>(
  replicas: readonly P[],
  options: ReduceScatterOptions,
): P[] {
  checkReduction('reduceScatter', options, ['ring', 'all-to-all'])
  const whole = perLeaf('reduceScatter', replicas, (leaves) =>
    reshape(reduceLeaf(leaves, options), [leaves[0]!.size]),
  )
  return replicas.map((_, c) =>
    mapTree((x) => {
      const { start, end } = chunkOf(x.size, replicas.length, c)
      return slice(x, [[start, end]])
    }, whole),
  )
}

/**
 * The second half: the chunks of all replicas one after another, as every replica holds them afterwards. Nothing is
 * rounded.
 *
 * Shape     N trees of one structure, the leaves one-dimensional and as long as they are -> their concatenation; sizes
 *           may differ from replica to replica.
 *
 * @example allGather([tensor([11, 22]), tensor([33])]).toNested() // [11, 22, 33]
 */
export function allGather<P extends Treelike>(chunks: readonly P[]): P {
  const first = firstOf('allGather', chunks)
  for (const other of chunks) checkSameTree('allGather', first, other)
  const columns = chunks.map((tree) => leavesOf(tree))
  return replaceLeaves(
    first,
    pathsOf(first).map(({ path }, i) => {
      const leaves = columns.map((column) => column[i]!)
      checkLines(path || 'the root', leaves)
      return concat(leaves)
    }),
  )
}

function checkLines(at: string, leaves: readonly Tensor[]): void {
  for (const { shape, dtype } of leaves) {
    if (shape.length !== 1) {
      throw new RangeError(`allGather: needs one dimension at ${at} [${shape.join(', ')}]`)
    }
    if (dtype !== leaves[0]!.dtype) {
      throw new TypeError(
        `allGather: dtypes differ at ${at}, cast one of them [${leaves[0]!.dtype} and ${dtype}]`,
      )
    }
  }
}
