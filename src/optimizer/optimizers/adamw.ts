import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import { scaleByAdam } from '../rescalings/scaleByAdam.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

/** Adam with decoupled weight decay. */
export interface AdamwOptions extends AdamOptimizerOptions {
  /** Default: 1e-4. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/**
 * AdamW: `chain(scaleByAdam, addDecayedWeights, scaleByLearningRate)`, as optax has it.
 *
 * Source    Decoupled weight decay regularization, arXiv:1711.05101
 *
 * @example adamw({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function adamw(options: AdamwOptions): GradientTransformation<readonly State[]> {
  const { learningRate, weightDecay = 1e-4 } = options
  return chain(
    scaleByAdam(options),
    addDecayedWeights(weightDecay, options),
    scaleByLearningRate(learningRate, options),
  )
}
