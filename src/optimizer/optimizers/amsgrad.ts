import { chain } from '../chain.js'
import { scaleByAmsgrad } from '../rescalings/scaleByAmsgrad.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

/**
 * AMSGrad: `chain(scaleByAmsgrad, scaleByLearningRate)`.
 *
 * @example amsgrad({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function amsgrad(
  options: Omit<AdamOptimizerOptions, 'nesterov'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByAmsgrad(options), scaleByLearningRate(options.learningRate, options))
}
