import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import { type ScaleByLionOptions, scaleByLion } from '../rescalings/scaleByLion.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Lion with weight decay and a learning rate. */
export interface LionOptions extends ScaleByLionOptions {
  readonly learningRate: LearningRate
  /** Default: 1e-3, ten times AdamW's. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/**
 * Lion: `chain(scaleByLion, addDecayedWeights, scaleByLearningRate)`.
 *
 * @example lion({ learningRate: 1e-4 }).init([tensor([1])]).length // 3
 */
export function lion(options: LionOptions): GradientTransformation<readonly State[]> {
  return chain(
    scaleByLion(options),
    addDecayedWeights(options.weightDecay ?? 1e-3, options),
    scaleByLearningRate(options.learningRate, options),
  )
}
