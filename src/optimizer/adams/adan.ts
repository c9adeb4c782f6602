import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import { type ScaleByAdanOptions, scaleByAdan, scaleByAdanNames } from '../rescalings/scaleByAdan.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Adan with weight decay and a learning rate; epsRoot is 1e-8 by default. */
export interface AdanOptions extends ScaleByAdanOptions {
  readonly learningRate: LearningRate
  /** Default: 0. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

const names: OptionTable<AdanOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  mask: 'optional',
  ...scaleByAdanNames,
}

/**
 * Adan: `chain(scaleByAdan, addDecayedWeights, scaleByLearningRate)`.
 *
 * Source    Adan, arXiv:2208.06677
 *
 * @example adan({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function adan(options: AdanOptions): GradientTransformation<readonly State[]> {
  checkOptions('adan', options, names)
  return chain(
    scaleByAdan({ epsRoot: 1e-8, ...chosen(options, scaleByAdanNames) }),
    addDecayedWeights(options.weightDecay ?? 0, chosen(options, decayNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
