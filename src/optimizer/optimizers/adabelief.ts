import { chain } from '../chain.js'
import { type BeliefOptions, scaleByBelief } from '../rescalings/scaleByBelief.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

/**
 * AdaBelief: `chain(scaleByBelief, scaleByLearningRate)`.
 *
 * @example adabelief({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adabelief(
  options: BeliefOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByBelief(options), scaleByLearningRate(options.learningRate, options))
}
