import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import {
  type ScaleByNovogradOptions,
  scaleByNovograd,
  scaleByNovogradNames,
} from '../rescalings/scaleByNovograd.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** NovoGrad with a learning rate; eps is 1e-6 by default. */
export interface NovogradOptions extends ScaleByNovogradOptions {
  readonly learningRate: LearningRate
}

const names: OptionTable<NovogradOptions> = { learningRate: 'required', ...scaleByNovogradNames }

/**
 * NovoGrad: `chain(scaleByNovograd, scaleByLearningRate)`.
 *
 * Source    Stochastic gradient methods with layer-wise adaptive moments, arXiv:1905.11286
 *
 * @example novograd({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function novograd(options: NovogradOptions): GradientTransformation<readonly State[]> {
  checkOptions('novograd', options, names)
  return chain(
    scaleByNovograd({ eps: 1e-6, ...chosen(options, scaleByNovogradNames) }),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
