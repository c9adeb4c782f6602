import { type FloatDType, full, type Tensor, zeros } from '../../tensor/index.js'
import { mapTree, type Tree } from '../../tree/index.js'

/** Zeros shaped as the leaves, of their dtype or another. */
export function zerosLike(tree: Tree, dtype?: FloatDType): Tree {
  return mapTree((x) => zeros(x.shape, { dtype: dtype ?? x.dtype }), tree)
}

/** Leaves of one value, shaped as the tree's. */
export function fullLike(tree: Tree, value: number): Tree {
  return mapTree((x: Tensor) => full(x.shape, value, { dtype: x.dtype as FloatDType }), tree)
}
