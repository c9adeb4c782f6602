import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type AdamaxOptions, adamaxNames, scaleByAdamax } from '../rescalings/scaleByAdamax.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

const names: OptionTable<AdamaxOptions & Pick<AdamOptimizerOptions, 'learningRate'>> = {
  learningRate: 'required',
  ...adamaxNames,
}

/**
 * Adamax: `chain(scaleByAdamax, scaleByLearningRate)`.
 *
 * @example adamax({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adamax(
  options: AdamaxOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  checkOptions('adamax', options, names)
  return chain(
    scaleByAdamax(chosen(options, adamaxNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
