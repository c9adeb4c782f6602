import type { OptionTable } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { identity } from '../transforms/identity.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** What stands around a transform that finds its rate. */
export interface FoundRateOptions {
  /** A factor of the rate that is found, or its schedule. Default: 1. */
  readonly learningRate?: LearningRate
  /** Default: none. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/** The names of `FoundRateOptions`. */
export const foundRateNames: OptionTable<FoundRateOptions> = {
  learningRate: 'optional',
  weightDecay: 'optional',
  mask: 'optional',
}

/** Weight decay, the transform that finds its rate, and a factor of that; where weights do not decay a link without a state. */
export function withFoundRate(
  found: GradientTransformation,
  options: FoundRateOptions & ArithmeticOption,
): GradientTransformation<readonly State[]> {
  const { learningRate = 1, weightDecay, mask } = options
  const exact: ArithmeticOption = chosen(options, arithmeticNames)
  return chain(
    weightDecay === undefined
      ? identity()
      : addDecayedWeights(weightDecay, mask === undefined ? exact : { ...exact, mask }),
    found,
    scaleByLearningRate(learningRate, exact),
  )
}
