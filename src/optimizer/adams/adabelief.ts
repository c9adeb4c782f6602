import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type BeliefOptions, beliefNames, scaleByBelief } from '../rescalings/scaleByBelief.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

const names: OptionTable<BeliefOptions & Pick<AdamOptimizerOptions, 'learningRate'>> = {
  learningRate: 'required',
  ...beliefNames,
}

/**
 * AdaBelief: `chain(scaleByBelief, scaleByLearningRate)`.
 *
 * @example adabelief({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adabelief(
  options: BeliefOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  checkOptions('adabelief', options, names)
  return chain(
    scaleByBelief(chosen(options, beliefNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
