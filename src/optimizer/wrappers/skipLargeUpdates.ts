import { checkOptions } from '../../base/options/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { globalNorm } from '../arithmetic/globalNorm.js'

/** Whether `multiSteps` ignores a gradient, by it, the emissions done and the parameters. */
export type SkipCondition = {
  /** True where it is ignored. */
  of(updates: Treelike, gradientStep: number, params?: Treelike): boolean
}['of']

/**
 * For the option `shouldSkip` of `multiSteps`: ignores gradients whose squared norm is not below a bound, those with a NaN
 * or an infinity among them.
 *
 * Rounding  the squared norm as `globalNorm` has it, squared: near the bound another rounding than optax's, which takes no root.
 *
 * @example skipLargeUpdates(25)([tensor([3, 4])], 0) // true
 */
export function skipLargeUpdates(maxSquaredNorm: number, options: ArithmeticOption = {}): SkipCondition {
  checkOptions('skipLargeUpdates', options, arithmeticNames)
  checkScalar('skipLargeUpdates', 'maxSquaredNorm', maxSquaredNorm, 0)
  return (updates) => !(globalNorm(updates, options).item() ** 2 < maxSquaredNorm)
}
