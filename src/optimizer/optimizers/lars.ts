import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import {
  scaleByTrustRatio,
  type TrustRatioOptions,
  trustRatioNames,
} from '../rescalings/scaleByTrustRatio.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { trace, traceNames } from '../transforms/trace.js'
import { masked } from '../wrappers/masked.js'

/** LARS with a learning rate. */
export interface LarsOptions extends TrustRatioOptions {
  readonly learningRate: LearningRate
  /** Default: 0. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly weightDecayMask?: Mask
  /** Default: 0.001. */
  readonly trustCoefficient?: Scalar
  /** Where updates are rescaled. Default: everywhere, scalars too. */
  readonly trustRatioMask?: Mask
  /** Default: 0.9. */
  readonly momentum?: Scalar
  /** Default: false. */
  readonly nesterov?: boolean
}

/** The names of `LarsOptions`. */
export const larsNames: OptionTable<LarsOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  weightDecayMask: 'optional',
  trustRatioMask: 'optional',
  momentum: 'optional',
  nesterov: 'optional',
  ...trustRatioNames,
}

/**
 * LARS: `chain(addDecayedWeights, scaleByTrustRatio, scaleByLearningRate, trace)`, momentum after the learning rate.
 *
 * Source    Large batch training of convolutional networks, arXiv:1708.03888
 *
 * @example lars({ learningRate: 1e-3 }).init([tensor([1])]).length // 4
 */
export function lars(options: LarsOptions): GradientTransformation<readonly State[]> {
  checkOptions('lars', options, larsNames)
  const { weightDecay = 0, weightDecayMask = true, trustRatioMask = true, momentum = 0.9 } = options
  const trustCoefficient = options.trustCoefficient ?? 0.001
  const exact = chosen(options, arithmeticNames)
  return chain(
    addDecayedWeights(weightDecay, { ...exact, mask: weightDecayMask }),
    masked(scaleByTrustRatio({ ...chosen(options, trustRatioNames), trustCoefficient }), trustRatioMask),
    scaleByLearningRate(options.learningRate, exact),
    trace(momentum, chosen(options, traceNames)),
  )
}
