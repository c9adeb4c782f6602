import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import { scaleByRms } from '../rescalings/scaleByRms.js'
import type { GradientTransformation } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { type ScheduleFreeState, scheduleFree, scheduleFreeNames } from './scheduleFree.js'
import { type ScheduleFreeSgdOptions, scheduleFreeSgdNames, warmedUp } from './scheduleFreeSgd.js'

/** Schedule-free AdamW; learningRate is 0.0025 and weightDecay 0 by default. */
export interface ScheduleFreeAdamwOptions extends ScheduleFreeSgdOptions {
  /** Decay of the mean of squares. Default: 0.999. */
  readonly b2?: Scalar
  /** Added to the root. Default: 1e-8. */
  readonly eps?: Scalar
}

const names: OptionTable<ScheduleFreeAdamwOptions> = {
  ...scheduleFreeSgdNames,
  b2: 'optional',
  eps: 'optional',
}

/**
 * Schedule-free AdamW: `scheduleFree(chain(scaleByRms, addDecayedWeights, scaleByLearningRate))`; b1 is in the averaging.
 *
 * Source    The road less scheduled, arXiv:2405.15682
 *
 * @example scheduleFreeAdamw({ learningRate: 0.01 }).init([tensor([1])]).stepCount // 1
 */
export function scheduleFreeAdamw(
  options: ScheduleFreeAdamwOptions = {},
): GradientTransformation<ScheduleFreeState> {
  checkOptions('scheduleFreeAdamw', options, names)
  const { b2 = 0.999, eps = 1e-8, weightDecay = 0 } = options
  const exact = chosen(options, arithmeticNames)
  const learningRate = warmedUp('scheduleFreeAdamw', options.learningRate ?? 0.0025, options.warmupSteps)
  return scheduleFree(
    chain(
      scaleByRms({ ...exact, decay: b2, eps, epsInSqrt: false, biasCorrection: true }),
      addDecayedWeights(weightDecay, exact),
      scaleByLearningRate(learningRate, exact),
    ),
    { ...chosen(options, scheduleFreeNames), learningRate },
  )
}
