import { chain } from '../chain.js'
import { scaleByYogi, type YogiOptions } from '../rescalings/scaleByYogi.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

/**
 * Yogi: `chain(scaleByYogi, scaleByLearningRate)`.
 *
 * @example yogi({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function yogi(
  options: YogiOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByYogi(options), scaleByLearningRate(options.learningRate, options))
}
