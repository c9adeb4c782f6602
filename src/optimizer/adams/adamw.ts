import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import { type AdamState, adamNames, scaleByAdam } from '../rescalings/scaleByAdam.js'
import type { EmptyState, GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { CountState } from '../transforms/scaleBySchedule.js'
import type { AdamOptimizerOptions } from './adam.js'
import { adamOptimizerNames } from './adam.js'

/** Adam with decoupled weight decay. */
export interface AdamwOptions extends AdamOptimizerOptions {
  /** Default: 1e-4. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/** The names of `AdamwOptions`. */
export const adamwNames: OptionTable<AdamwOptions> = {
  weightDecay: 'optional',
  mask: 'optional',
  ...adamOptimizerNames,
}

/** Adam's state, that of the weight decay, and the steps done where the rate is a schedule. */
export type AdamwState = readonly [adam: AdamState, decay: State, rate: EmptyState | CountState]

/**
 * AdamW: `chain(scaleByAdam, addDecayedWeights, scaleByLearningRate)`, as optax has it.
 *
 * Source    Decoupled weight decay regularization, arXiv:1711.05101
 *
 * @example adamw({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function adamw(options: AdamwOptions): GradientTransformation<AdamwState> {
  checkOptions('adamw', options, adamwNames)
  const { learningRate, weightDecay = 1e-4 } = options
  return chain(
    scaleByAdam(chosen(options, adamNames)),
    addDecayedWeights(weightDecay, chosen(options, decayNames)),
    scaleByLearningRate(learningRate, chosen(options, arithmeticNames)),
  )
}
