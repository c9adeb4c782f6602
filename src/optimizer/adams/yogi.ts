import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { scaleByYogi, type YogiOptions, yogiNames } from '../rescalings/scaleByYogi.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamOptimizerOptions } from './adam.js'

const names: OptionTable<YogiOptions & Pick<AdamOptimizerOptions, 'learningRate'>> = {
  learningRate: 'required',
  ...yogiNames,
}

/**
 * Yogi: `chain(scaleByYogi, scaleByLearningRate)`.
 *
 * @example yogi({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function yogi(
  options: YogiOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  checkOptions('yogi', options, names)
  return chain(
    scaleByYogi(chosen(options, yogiNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
