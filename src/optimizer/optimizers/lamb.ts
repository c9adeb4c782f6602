import { chain } from '../chain.js'
import { scaleByAdam } from '../rescalings/scaleByAdam.js'
import { scaleByTrustRatio } from '../rescalings/scaleByTrustRatio.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamwOptions } from './adamw.js'

/** As AdamW's; eps is 1e-6 and weightDecay 0 by default. */
export type LambOptions = Omit<AdamwOptions, 'nesterov' | 'muDtype'>

/**
 * LAMB: `chain(scaleByAdam, addDecayedWeights, scaleByTrustRatio, scaleByLearningRate)`.
 *
 * Source    Large batch optimization for deep learning, arXiv:1904.00962
 *
 * @example lamb({ learningRate: 1e-3 }).init([tensor([1])]).length // 4
 */
export function lamb(options: LambOptions): GradientTransformation<readonly State[]> {
  const { arithmetic } = options
  const exact = arithmetic === undefined ? {} : { arithmetic }
  return chain(
    scaleByAdam({ ...options, eps: options.eps ?? 1e-6 }),
    addDecayedWeights(options.weightDecay ?? 0, options),
    scaleByTrustRatio(exact),
    scaleByLearningRate(options.learningRate, options),
  )
}
