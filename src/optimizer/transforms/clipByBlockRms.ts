import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafRms } from '../arithmetic/leafRms.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Each leaf divided by max(1, rms / threshold).
 *
 * @example tree.leavesOf(clipByBlockRms(1).update([tensor([2, 2])], {})[0])[0].toNested() // [1, 1]
 */
export function clipByBlockRms(
  threshold: Scalar,
  options: ArithmeticOption = {},
): GradientTransformation<EmptyState> {
  checkOptions('clipByBlockRms', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('clipByBlockRms', 'threshold', threshold, 0)
  return stateless(
    (updates) =>
      leafwise('clipByBlockRms', [updates], ([u]) => [
        a.divScalar(u!, a.maximum(1, a.div(leafRms(a, u!), threshold))),
      ])[0],
  )
}
