import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { isNumber, type Scalar } from '../arithmetic/operand.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Updates times a constant.
 *
 * Rounding  the constant to each leaf's dtype, then the product.
 *
 * @example tree.leavesOf(scale(0.5).update([tensor([3])], {})[0])[0].item() // 1.5
 */
export function scale(stepSize: Scalar, options: ArithmeticOption = {}): GradientTransformation<EmptyState> {
  checkOptions('scale', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scale', 'stepSize', stepSize)
  return stateless(
    (updates) => leafwise('scale', [updates], ([g]) => [a.mul(stepSize, g!)])[0],
    a.name === 'ieee' && isNumber(stepSize) ? { kind: 'scale', stepSize } : undefined,
  )
}
