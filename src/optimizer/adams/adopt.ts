import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type ScaleByAdoptOptions, scaleByAdopt, scaleByAdoptNames } from '../rescalings/scaleByAdopt.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** ADOPT with a learning rate. */
export interface AdoptOptions extends ScaleByAdoptOptions {
  readonly learningRate: LearningRate
}

const names: OptionTable<AdoptOptions> = { learningRate: 'required', ...scaleByAdoptNames }

/**
 * ADOPT: `chain(scaleByAdopt, scaleByLearningRate)`.
 *
 * Source    ADOPT, arXiv:2411.02853
 *
 * @example adopt({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function adopt(options: AdoptOptions): GradientTransformation<readonly State[]> {
  checkOptions('adopt', options, names)
  return chain(
    scaleByAdopt(chosen(options, scaleByAdoptNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
