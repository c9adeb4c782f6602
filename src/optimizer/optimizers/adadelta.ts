import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import {
  type ScaleByAdadeltaOptions,
  scaleByAdadelta,
  scaleByAdadeltaNames,
} from '../rescalings/scaleByAdadelta.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Adadelta with weight decay and a learning rate. */
export interface AdadeltaOptions extends ScaleByAdadeltaOptions {
  readonly learningRate: LearningRate
  /** Default: 0. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly weightDecayMask?: Mask
}

/** The names of `AdadeltaOptions`. */
export const adadeltaNames: OptionTable<AdadeltaOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  weightDecayMask: 'optional',
  ...scaleByAdadeltaNames,
}

/**
 * Adadelta: `chain(addDecayedWeights, scaleByAdadelta, scaleByLearningRate)`: the decay passes through the rescaling.
 *
 * @example adadelta({ learningRate: 1 }).init([tensor([1])]).length // 3
 */
export function adadelta(options: AdadeltaOptions): GradientTransformation<readonly State[]> {
  checkOptions('adadelta', options, adadeltaNames)
  const { learningRate, weightDecay = 0, weightDecayMask: mask, ...rest } = options
  const exact = chosen(rest, arithmeticNames)
  return chain(
    addDecayedWeights(weightDecay, mask === undefined ? exact : { ...exact, mask }),
    scaleByAdadelta(rest),
    scaleByLearningRate(learningRate, exact),
  )
}
