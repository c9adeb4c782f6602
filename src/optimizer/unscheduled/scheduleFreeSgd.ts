import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { warmupConstantSchedule } from '../../schedule/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { sgd } from '../optimizers/sgd.js'
import type { GradientTransformation } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import type { LearningRate } from '../transforms/scaleByLearningRate.js'
import {
  type ScheduleFreeOptions,
  type ScheduleFreeState,
  scheduleFree,
  scheduleFreeNames,
} from './scheduleFree.js'

/** Schedule-free descent. */
export interface ScheduleFreeSgdOptions extends Omit<ScheduleFreeOptions, 'learningRate'> {
  /** Default: 1. */
  readonly learningRate?: number
  /** Steps in which the rate rises from 0. Default: none. */
  readonly warmupSteps?: number
  /** Default: none. */
  readonly weightDecay?: number
}

/** The names of `ScheduleFreeSgdOptions`. */
export const scheduleFreeSgdNames: OptionTable<ScheduleFreeSgdOptions> = {
  ...scheduleFreeNames,
  learningRate: 'optional',
  warmupSteps: 'optional',
  weightDecay: 'optional',
}

/**
 * Schedule-free gradient descent: `scheduleFree(chain(addDecayedWeights, sgd))`.
 *
 * Source    The road less scheduled, arXiv:2405.15682
 *
 * @example scheduleFreeSgd({ learningRate: 0.5 }).init([tensor([1])]).stepCount // 1
 */
export function scheduleFreeSgd(
  options: ScheduleFreeSgdOptions = {},
): GradientTransformation<ScheduleFreeState> {
  checkOptions('scheduleFreeSgd', options, scheduleFreeSgdNames)
  const { weightDecay } = options
  const exact = chosen(options, arithmeticNames)
  const learningRate = warmedUp('scheduleFreeSgd', options.learningRate ?? 1, options.warmupSteps)
  const inner = sgd({ ...exact, learningRate })
  return scheduleFree(
    weightDecay === undefined ? inner : chain(addDecayedWeights(weightDecay, exact), inner),
    { ...chosen(options, scheduleFreeNames), learningRate },
  )
}

/** The rate, or a schedule that rises to it. */
export function warmedUp(op: string, rate: number, warmupSteps: number | undefined): LearningRate {
  checkScalar(op, 'learningRate', rate)
  if (warmupSteps === undefined) return rate
  checkInteger(op, 'warmupSteps', warmupSteps, 1)
  return warmupConstantSchedule({ initValue: 0, peakValue: rate, warmupSteps })
}
