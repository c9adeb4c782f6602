import { chain } from '../chain.js'
import { type AdamaxOptions, scaleByAdamax } from '../rescalings/scaleByAdamax.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

/**
 * Adamax: `chain(scaleByAdamax, scaleByLearningRate)`.
 *
 * @example adamax({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adamax(
  options: AdamaxOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByAdamax(options), scaleByLearningRate(options.learningRate, options))
}
