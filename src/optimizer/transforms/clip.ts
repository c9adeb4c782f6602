import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Gradient transformation that clips every element to [-maxDelta, maxDelta]; `clip` of tensor clips one tensor. NaN stays NaN.
 *
 * @example tree.leavesOf(clip(1).update([tensor([-3, 0.5])], {})[0])[0].toNested() // [-1, 0.5]
 */
export function clip(maxDelta: Scalar, options: ArithmeticOption = {}): GradientTransformation<EmptyState> {
  checkOptions('clip', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('clip', 'maxDelta', maxDelta, 0)
  const low = typeof maxDelta === 'number' ? -maxDelta : a.mul(-1, maxDelta)
  return stateless(
    (updates) => leafwise('clip', [updates], ([g]) => [a.minimum(a.maximum(g!, low), maxDelta)])[0],
  )
}
