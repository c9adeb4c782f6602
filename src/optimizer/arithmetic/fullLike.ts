import { type FloatDType, full, type Tensor, zeros } from '../../tensors/tensor/index.js'
import { leavesOf, mapTree, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'

/** Zeros shaped as the leaves, of their dtype or another: how a state begins. */
export function zerosLike(tree: Treelike, dtype?: FloatDType): Tree {
  return stateTree(tree, (x) => zeros(x.shape, { dtype: dtype ?? x.dtype }))
}

/** Leaves of one value, shaped as the tree's. */
export function fullLike(tree: Treelike, value: number): Tree {
  return stateTree(tree, (x) => full(x.shape, value, { dtype: x.dtype as FloatDType }))
}

/** A tree of `f` of every leaf, typed as states keep trees. */
export function stateTree(tree: Treelike, f: (leaf: Tensor) => Tensor): Tree {
  return replaceLeaves(tree, leavesOf(tree).map(f)) as Tree
}

/** Updates that move nothing. */
export function zeroUpdates<P extends Treelike>(updates: P): P {
  return mapTree((x): Tensor => zeros(x.shape, { dtype: x.dtype }), updates)
}
