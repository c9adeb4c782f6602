import { chain } from '../chain.js'
import { type AdamOptions, type AdamState, scaleByAdam } from '../rescalings/scaleByAdam.js'
import type { EmptyState, GradientTransformation } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { CountState } from '../transforms/scaleBySchedule.js'

/** Adam and a learning rate. */
export interface AdamOptimizerOptions extends AdamOptions {
  readonly learningRate: LearningRate
}

/**
 * Adam: `chain(scaleByAdam, scaleByLearningRate)`.
 *
 * @example adam({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adam(
  options: AdamOptimizerOptions,
): GradientTransformation<readonly [AdamState, EmptyState | CountState]> {
  return chain(scaleByAdam(options), scaleByLearningRate(options.learningRate, options))
}
