import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * The sign of every element: -1, 0 or 1.
 *
 * Special   the sign of 0 is 0, of NaN NaN; in 'xla-cpu' that of a subnormal is 0.
 *
 * @example tree.leavesOf(scaleBySign().update([tensor([-3, 0, 2])], {})[0])[0].toNested() // [-1, 0, 1]
 */
export function scaleBySign(options: ArithmeticOption = {}): GradientTransformation<EmptyState> {
  checkOptions('scaleBySign', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  return stateless((updates) => leafwise('scaleBySign', [updates], ([g]) => [a.sign(g!)])[0])
}
