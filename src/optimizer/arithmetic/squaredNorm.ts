import type { Treelike } from '../../tree/index.js'
import type { Elementwise } from './arithmetic.js'
import { type Decoded, tensorOf } from './decoded.js'
import { innerProduct, treeSum } from './innerProduct.js'

/**
 * The squared Euclidean norm of all leaves together, one element.
 *
 * Rounding  'ieee': each leaf's squares and sum in float64, once to the dtype. 'xla-cpu': squares to the dtype, a leaf's sum in
 *           float32, once to the dtype. Then leaf after leaf.
 */
export function squaredNorm(a: Elementwise, tree: Treelike): Decoded {
  if (a.name === 'ieee') return innerProduct(a, tree, tree)
  return treeSum(a, tree, (x) => tensorOf(a.mul(x, x)))
}
