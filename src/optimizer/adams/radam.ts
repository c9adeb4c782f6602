import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type RadamOptions, radamNames, scaleByRadam } from '../rescalings/scaleByRadam.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

const names: OptionTable<RadamOptions & Pick<AdamOptimizerOptions, 'learningRate'>> = {
  learningRate: 'required',
  ...radamNames,
}

/**
 * RAdam: `chain(scaleByRadam, scaleByLearningRate)`.
 *
 * @example radam({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function radam(
  options: RadamOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  checkOptions('radam', options, names)
  return chain(
    scaleByRadam(chosen(options, radamNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
