import { checkOptions, type OptionTable } from '../base/options/index.js'
import { checkFinite } from './checkNumbers.js'
import { linearSchedule } from './polynomialSchedule.js'
import { checked, type Schedule } from './schedule.js'

/** Two values, and the steps from the one to the other. */
export interface WarmupConstantOptions {
  readonly initValue: number
  readonly peakValue: number
  /** 0 or fewer hold `initValue` for ever, not `peakValue`: as optax. */
  readonly warmupSteps: number
}

/** The names of `WarmupConstantOptions`. */
const names: OptionTable<WarmupConstantOptions> = {
  initValue: 'required',
  peakValue: 'required',
  warmupSteps: 'required',
}

/**
 * A line from `initValue` to `peakValue` in `warmupSteps` steps, then held.
 *
 * Source    optax 0.2.8, warmup_constant_schedule
 *
 * @example [0, 5, 10, 99].map(warmupConstantSchedule({ initValue: 0, peakValue: 1, warmupSteps: 10 })) // [0, 0.5, 1, 1]
 */
export function warmupConstantSchedule(options: WarmupConstantOptions): Schedule {
  const op = 'warmupConstantSchedule'
  checkOptions(op, options, names)
  const { initValue, peakValue, warmupSteps } = options
  checkFinite(op, { initValue, peakValue, warmupSteps })
  return checked(op, linearSchedule({ initValue, endValue: peakValue, transitionSteps: warmupSteps }))
}
