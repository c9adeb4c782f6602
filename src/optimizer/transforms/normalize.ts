import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Updates divided by their global norm: what the adversarial step of `sam` begins with.
 *
 * Special   zeros give NaN.
 *
 * @example tree.leavesOf(normalize().update([tensor([3, 4])], {})[0])[0].toNested().map((x) => x.toFixed(2)) // ['0.60', '0.80']
 */
export function normalize(options: ArithmeticOption = {}): GradientTransformation<EmptyState> {
  checkOptions('normalize', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  return stateless((updates) => {
    const norm = globalNorm(updates, options)
    return leafwise('normalize', [updates], ([g]) => [a.divScalar(g!, norm)])[0]
  })
}
