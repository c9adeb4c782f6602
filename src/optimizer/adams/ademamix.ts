import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import {
  type ScaleByAdemamixOptions,
  scaleByAdemamix,
  scaleByAdemamixNames,
} from '../rescalings/scaleByAdemamix.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** AdEMAMix with weight decay and a learning rate; alpha is 5 by default. */
export interface AdemamixOptions extends ScaleByAdemamixOptions {
  readonly learningRate: LearningRate
  /** Default: 0. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

const names: OptionTable<AdemamixOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  mask: 'optional',
  ...scaleByAdemamixNames,
}

/**
 * AdEMAMix: `chain(scaleByAdemamix, addDecayedWeights, scaleByLearningRate)`.
 *
 * Source    The AdEMAMix optimizer, arXiv:2409.03137
 *
 * @example ademamix({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function ademamix(options: AdemamixOptions): GradientTransformation<readonly State[]> {
  checkOptions('ademamix', options, names)
  return chain(
    scaleByAdemamix({ alpha: 5, ...chosen(options, scaleByAdemamixNames) }),
    addDecayedWeights(options.weightDecay ?? 0, chosen(options, decayNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
