import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Schedule } from '../../schedule/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import type { EmptyState, GradientTransformation } from '../transformation.js'
import { scale } from './scale.js'
import { type CountState, scaleBySchedule } from './scaleBySchedule.js'

/** What a learning rate may be: a constant or a schedule. */
export type LearningRate = Scalar | Schedule

/** Where a learning rate multiplies. */
export interface LearningRateOptions extends ArithmeticOption {
  /** Whether updates are turned into a descent. Default: true. */
  readonly flipSign?: boolean
}

/** The names of `LearningRateOptions`. */
export const learningRateNames: OptionTable<LearningRateOptions> = {
  flipSign: 'optional',
  ...arithmeticNames,
}

/**
 * Updates times minus the learning rate: the last link of most optimizers.
 *
 * @example tree.leavesOf(scaleByLearningRate(0.5).update([tensor([3])], {})[0])[0].item() // -1.5
 */
export function scaleByLearningRate(
  learningRate: LearningRate,
  options: LearningRateOptions = {},
): GradientTransformation<EmptyState | CountState> {
  checkOptions('scaleByLearningRate', options, learningRateNames)
  checkFlag('scaleByLearningRate', 'flipSign', options.flipSign)
  const exact = chosen(options, arithmeticNames)
  const sign = options.flipSign === false ? 1 : -1
  if (typeof learningRate === 'function') return scaleBySchedule((step) => sign * learningRate(step), exact)
  if (learningRate instanceof Tensor) {
    const a = arithmeticOf(options.arithmetic)
    return scale(a.mul(sign, learningRate), exact)
  }
  checkScalar('scaleByLearningRate', 'learningRate', learningRate)
  return scale(sign * learningRate, exact)
}
