import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import { type ScaleByRmsOptions, scaleByRms, scaleByRmsNames } from '../rescalings/scaleByRms.js'
import { scaleByStddev } from '../rescalings/scaleByStddev.js'
import { type GradientTransformation, type State, stateless } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { trace, traceNames } from '../transforms/trace.js'

/** RMSProp with a learning rate. */
export interface RmspropOptions extends ScaleByRmsOptions {
  readonly learningRate: LearningRate
  /** Whether the squared mean is subtracted from the mean of squares. Default: false. */
  readonly centered?: boolean
  /** Momentum of the updates, behind the learning rate. Default: none. */
  readonly momentum?: Scalar
  /** Default: false. */
  readonly nesterov?: boolean
}

/** The names of `RmspropOptions`. */
export const rmspropNames: OptionTable<RmspropOptions> = {
  learningRate: 'required',
  centered: 'optional',
  momentum: 'optional',
  nesterov: 'optional',
  ...scaleByRmsNames,
}

/**
 * RMSProp: `chain(scaleByRms or scaleByStddev, scaleByLearningRate, trace)`, momentum after the learning rate.
 *
 * @example rmsprop({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function rmsprop(options: RmspropOptions): GradientTransformation<readonly State[]> {
  checkOptions('rmsprop', options, rmspropNames)
  const { learningRate, centered = false, momentum } = options
  const how = chosen(options, scaleByRmsNames)
  return chain(
    centered ? scaleByStddev(how) : scaleByRms(how),
    scaleByLearningRate(learningRate, chosen(options, arithmeticNames)),
    momentum === undefined ? stateless((updates) => updates) : trace(momentum, chosen(options, traceNames)),
  )
}
