import { addDecayedWeights } from './addDecayedWeights.js'
import { chain } from './chain.js'
import type { Mask } from './mask.js'
import { type AdamOptions, scaleByAdam } from './scaleByAdam.js'
import { type LearningRate, scaleByLearningRate } from './scaleByLearningRate.js'
import type { GradientTransformation, State } from './transformation.js'

/** Adam and a learning rate. */
export interface AdamOptimizerOptions extends AdamOptions {
  readonly learningRate: LearningRate
}

/** Adam with decoupled weight decay. */
export interface AdamwOptions extends AdamOptimizerOptions {
  /** Default: 1e-4. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/**
 * Adam: `chain(scaleByAdam, scaleByLearningRate)`.
 *
 * @example adam({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adam(options: AdamOptimizerOptions): GradientTransformation<readonly State[]> {
  return chain(scaleByAdam(options), scaleByLearningRate(options.learningRate, options))
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

/** Adam with Nesterov momentum. */
export function nadam(
  options: Omit<AdamOptimizerOptions, 'nesterov'>,
): GradientTransformation<readonly State[]> {
  return adam({ ...options, nesterov: true })
}

/** AdamW with Nesterov momentum. */
export function nadamw(options: Omit<AdamwOptions, 'nesterov'>): GradientTransformation<readonly State[]> {
  return adamw({ ...options, nesterov: true })
}
