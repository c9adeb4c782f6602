import { type FloatDType, isFloat, sameShape, type Tensor } from '../../tensors/tensor/index.js'
import { checkSameTree, leavesOf, pathsOf, replaceLeaves, type Treelike } from '../../tensors/tree/index.js'

/**
 * `f` over the corresponding leaves of all replicas, in a tree of their structure. Throws where the replicas are none,
 * or differ in structure, shape or dtype; the error names the path.
 */
export function perLeaf<P extends Treelike>(
  op: string,
  replicas: readonly P[],
  f: (leaves: readonly Tensor[], dtype: FloatDType) => Tensor,
): P {
  const first = firstOf(op, replicas)
  for (const other of replicas) checkSameTree(op, first, other)
  const columns = replicas.map((tree) => leavesOf(tree))
  const results = pathsOf(first).map(({ path, leaf }, i) => {
    const at = path || 'the root'
    const { dtype } = leaf
    if (!isFloat(dtype)) {
      throw new TypeError(`${op}: needs a floating-point dtype at ${at}, cast first [${dtype}]`)
    }
    const leaves = columns.map((column) => column[i]!)
    for (const other of leaves) {
      if (other.dtype !== dtype) {
        throw new TypeError(`${op}: dtypes differ at ${at}, cast one of them [${dtype} and ${other.dtype}]`)
      }
      if (!sameShape(other.shape, leaf.shape)) {
        throw new RangeError(
          `${op}: shapes differ at ${at} [${leaf.shape.join(', ')} and ${other.shape.join(', ')}]`,
        )
      }
    }
    return f(leaves, dtype)
  })
  return replaceLeaves(first, results)
}

/** The first of the replicas. */
export function firstOf<P>(op: string, replicas: readonly P[]): P {
  const [first] = Array.isArray(replicas) ? (replicas as readonly P[]) : []
  if (first === undefined) {
    throw new RangeError(
      `${op}: needs an array of at least one replica [${Array.isArray(replicas) ? 0 : typeof replicas}]`,
    )
  }
  return first
}
