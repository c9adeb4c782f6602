import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { checkTransformation } from '../checkTransformation.js'
import type { GradientTransformation, State } from '../transformation.js'
import { identity } from '../transforms/identity.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { type ScaleByLbfgsOptions, scaleByLbfgs, scaleByLbfgsNames } from './scaleByLbfgs.js'
import { scaleByZoomLinesearch } from './scaleByZoomLinesearch.js'

/** L-BFGS with a rate or a line search. */
export interface LbfgsOptions extends ScaleByLbfgsOptions {
  /** Default: 1. */
  readonly learningRate?: LearningRate
  /** What finds the length of each step; null for none. Default: `scaleByZoomLinesearch` of 20 tries from 1. */
  readonly linesearch?: GradientTransformation | null
}

const names: OptionTable<LbfgsOptions> = {
  learningRate: 'optional',
  linesearch: 'optional',
  ...scaleByLbfgsNames,
}

/**
 * L-BFGS: `chain(scaleByLbfgs, scaleByLearningRate, linesearch)`, for whole batches. With a line search `update` needs `value`,
 * `grad` and `valueFn` among its extra arguments.
 *
 * Source    On the limited memory BFGS method for large scale optimization, doi:10.1007/BF01589116
 *
 * @example lbfgs().init([tensor([1])]).length // 3
 */
export function lbfgs(options: LbfgsOptions = {}): GradientTransformation<readonly State[]> {
  checkOptions('lbfgs', options, names)
  const exact = chosen(options, arithmeticNames)
  const { learningRate = 1 } = options
  const {
    linesearch = scaleByZoomLinesearch({ ...exact, maxLinesearchSteps: 20, initialGuessStrategy: 'one' }),
  } = options
  if (linesearch !== null) checkTransformation('lbfgs', 'the line search', linesearch)
  return chain(
    scaleByLbfgs(chosen(options, scaleByLbfgsNames)),
    scaleByLearningRate(learningRate, exact),
    linesearch ?? identity(),
  )
}
