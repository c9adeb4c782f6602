import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type ScaleByRssOptions, scaleByRss, scaleByRssNames } from '../rescalings/scaleByRss.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Adagrad with a learning rate. */
export interface AdagradOptions extends ScaleByRssOptions {
  readonly learningRate: LearningRate
}

const names: OptionTable<AdagradOptions> = { learningRate: 'required', ...scaleByRssNames }

/**
 * Adagrad: `chain(scaleByRss, scaleByLearningRate)`.
 *
 * Source    Adaptive subgradient methods, JMLR 12 (2011), 2121-2159
 *
 * @example adagrad({ learningRate: 0.1 }).init([tensor([1])]).length // 2
 */
export function adagrad(options: AdagradOptions): GradientTransformation<readonly State[]> {
  checkOptions('adagrad', options, names)
  return chain(
    scaleByRss(chosen(options, scaleByRssNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
