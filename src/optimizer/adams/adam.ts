import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type AdamOptions, type AdamState, adamNames, scaleByAdam } from '../rescalings/scaleByAdam.js'
import type { EmptyState, GradientTransformation } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { CountState } from '../transforms/scaleBySchedule.js'

/** Adam and a learning rate. */
export interface AdamOptimizerOptions extends AdamOptions {
  readonly learningRate: LearningRate
}

/** The names of `AdamOptimizerOptions`. */
export const adamOptimizerNames: OptionTable<AdamOptimizerOptions> = {
  learningRate: 'required',
  ...adamNames,
}

/**
 * Adam: `chain(scaleByAdam, scaleByLearningRate)`.
 *
 * @example adam({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adam(
  options: AdamOptimizerOptions,
): GradientTransformation<readonly [AdamState, EmptyState | CountState]> {
  checkOptions('adam', options, adamOptimizerNames)
  return chain(
    scaleByAdam(chosen(options, adamNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
