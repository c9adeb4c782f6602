import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import { type GradientTransformation, type State, stateless } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { type TraceOptions, trace, traceNames } from '../transforms/trace.js'

/** Gradient descent, with momentum if it is given. */
export interface SgdOptions extends TraceOptions {
  readonly learningRate: LearningRate
  /** Default: none. */
  readonly momentum?: Scalar
}

/** The names of `SgdOptions`. */
export const sgdNames: OptionTable<SgdOptions> = {
  learningRate: 'required',
  momentum: 'optional',
  ...traceNames,
}

/**
 * Stochastic gradient descent: `chain(trace, scaleByLearningRate)`, the rate after the momentum.
 *
 * @example tree.leavesOf(sgd({ learningRate: 0.5 }).update([tensor([3])], [{}, {}])[0])[0].item() // -1.5
 */
export function sgd(options: SgdOptions): GradientTransformation<readonly State[]> {
  checkOptions('sgd', options, sgdNames)
  const { learningRate, momentum } = options
  return chain(
    momentum === undefined ? stateless((updates) => updates) : trace(momentum, chosen(options, traceNames)),
    scaleByLearningRate(learningRate, chosen(options, arithmeticNames)),
  )
}
