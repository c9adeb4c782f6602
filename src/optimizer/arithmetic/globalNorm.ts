import { checkOptions } from '../../base/options/index.js'
import { type FloatDType, mul, Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from './arithmetic.js'
import { floatOf, inDtype, promote } from './operand.js'
import { scaledNorm } from './scaledNorm.js'
import { sumXla } from './sumXla.js'

/**
 * The Euclidean norm of all leaves together, a scalar.
 *
 * Dtype     that of the leaves, the wider one where they differ.
 * Rounding  'ieee': squares and sum in float64, no overflow, one rounding. 'xla-cpu': squares in the leaf's dtype, each
 *           leaf summed in float32 (in C order; vectors of more than 32 by windows of 32) and rounded, totals added leaf
 *           by leaf in the dtype, root.
 * Special   'xla-cpu' overflows to Inf from |x| = 1.8e19 and underflows to 0 below 1.1e-19. Any NaN gives NaN.
 *
 * @example globalNorm({ a: tensor([3]), b: tensor([4]) }).item() // 5
 */
export function globalNorm(tree: Treelike, options: ArithmeticOption = {}): Tensor {
  checkOptions('globalNorm', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  const leaves = leavesOf(tree)
  const dtype = leaves.map((leaf) => floatOf(leaf.dtype)).reduce(promote, leaves[0]?.dtype as FloatDType)
  if (leaves.length === 0) return new Tensor('float32', [], Float32Array.of(0))
  if (a.name === 'ieee') {
    const { scale, root } = scaledNorm(tree)
    return inDtype(mul(scale, root), dtype)
  }
  const squares = leaves.map((leaf) => sumXla(a.mul(leaf, leaf)))
  return a.sqrt(squares.reduce((total, each) => a.add(total, each)))
}
