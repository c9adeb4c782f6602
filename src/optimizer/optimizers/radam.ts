import { chain } from '../chain.js'
import { type RadamOptions, scaleByRadam } from '../rescalings/scaleByRadam.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

/**
 * RAdam: `chain(scaleByRadam, scaleByLearningRate)`.
 *
 * @example radam({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function radam(
  options: RadamOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByRadam(options), scaleByLearningRate(options.learningRate, options))
}
