import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import { type ScaleByLionOptions, scaleByLion, scaleByLionNames } from '../rescalings/scaleByLion.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Lion with weight decay and a learning rate. */
export interface LionOptions extends ScaleByLionOptions {
  readonly learningRate: LearningRate
  /** Default: 1e-3, ten times AdamW's. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/** The names of `LionOptions`. */
export const lionNames: OptionTable<LionOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  mask: 'optional',
  ...scaleByLionNames,
}

/**
 * Lion: `chain(scaleByLion, addDecayedWeights, scaleByLearningRate)`.
 *
 * @example lion({ learningRate: 1e-4 }).init([tensor([1])]).length // 3
 */
export function lion(options: LionOptions): GradientTransformation<readonly State[]> {
  checkOptions('lion', options, lionNames)
  return chain(
    scaleByLion(chosen(options, scaleByLionNames)),
    addDecayedWeights(options.weightDecay ?? 1e-3, chosen(options, decayNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
