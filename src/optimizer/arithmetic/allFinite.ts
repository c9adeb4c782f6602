import { all, isFinite as areFinite, logicalAnd, ones, type Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'

/** Whether no leaf holds a NaN or an infinity. */
export function allFinite(tree: Treelike): boolean {
  return leavesOf(tree).every((leaf) => !areFinite(leaf).data.includes(0))
}

/** The same as an operation, for a step that is recorded. */
export function recordedFinite(tree: Treelike): Tensor<'bool'> {
  const none: Tensor<'bool'> = ones([], { dtype: 'bool' })
  return leavesOf(tree).reduce((soFar: Tensor<'bool'>, leaf) => logicalAnd(soFar, all(areFinite(leaf))), none)
}
