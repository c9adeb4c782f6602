import type { FloatDType } from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { promote } from './operand.js'

/** The narrowest dtype of the leaves: the first of those that widening to another changes; float32 where there are none. */
export function lowest(tree: Treelike): FloatDType {
  const dtypes = leavesOf(tree).map((leaf) => leaf.dtype as FloatDType)
  return dtypes.reduce((low, dtype) => (promote(low, dtype) === low ? dtype : low), dtypes[0] ?? 'float32')
}
