import type { Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { Elementwise } from './arithmetic.js'
import { innerProduct, treeSum } from './innerProduct.js'

/**
 * The squared Euclidean norm of all leaves together, one element.
 *
 * Rounding  'ieee': each leaf's squares and sum in float64, once to the dtype. 'xla-cpu': squares to the dtype, a leaf's sum in
 *           float32, once to the dtype. Then leaf after leaf.
 */
export function squaredNorm(a: Elementwise, tree: Treelike): Tensor {
  if (a.name === 'ieee') return innerProduct(a, tree, tree)
  return treeSum(a, tree, (x) => a.mul(x, x))
}
