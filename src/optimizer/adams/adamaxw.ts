import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type AdamaxOptions, adamaxNames, scaleByAdamax } from '../rescalings/scaleByAdamax.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamwOptions } from './adamw.js'

/** Adamax with decoupled weight decay. */
export type AdamaxwOptions = AdamaxOptions & Pick<AdamwOptions, 'learningRate' | 'weightDecay' | 'mask'>

const names: OptionTable<AdamaxwOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  mask: 'optional',
  ...adamaxNames,
}

/**
 * Adamax with decoupled weight decay: `chain(scaleByAdamax, addDecayedWeights, scaleByLearningRate)`; the decay is 1e-4
 * unless given.
 *
 * Source    Decoupled weight decay regularization, arXiv:1711.05101
 *
 * @example adamaxw({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function adamaxw(options: AdamaxwOptions): GradientTransformation<readonly State[]> {
  checkOptions('adamaxw', options, names)
  const { learningRate, weightDecay = 1e-4 } = options
  return chain(
    scaleByAdamax(chosen(options, adamaxNames)),
    addDecayedWeights(weightDecay, chosen(options, decayNames)),
    scaleByLearningRate(learningRate, chosen(options, arithmeticNames)),
  )
}
