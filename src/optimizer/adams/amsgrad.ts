import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { amsgradNames, scaleByAmsgrad } from '../rescalings/scaleByAmsgrad.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

const names: OptionTable<Omit<AdamOptimizerOptions, 'nesterov'>> = {
  learningRate: 'required',
  ...amsgradNames,
}

/**
 * AMSGrad: `chain(scaleByAmsgrad, scaleByLearningRate)`.
 *
 * @example amsgrad({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function amsgrad(
  options: Omit<AdamOptimizerOptions, 'nesterov'>,
): GradientTransformation<readonly State[]> {
  checkOptions('amsgrad', options, names)
  return chain(
    scaleByAmsgrad(chosen(options, amsgradNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
