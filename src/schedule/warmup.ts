import type { OptionTable } from '../base/options/index.js'
import { checkFinite, checkNotNegative } from './checkNumbers.js'
import { linearSchedule } from './polynomialSchedule.js'
import { checked, type Schedule } from './schedule.js'

/** The warmup at the beginning of a schedule. */
export interface WarmupOptions {
  readonly initValue: number
  readonly peakValue: number
  /** Not negative; with 0 the schedule starts at `peakValue`. */
  readonly warmupSteps: number
}

/** The names of `WarmupOptions`. */
export const warmupNames: OptionTable<WarmupOptions> = {
  initValue: 'required',
  peakValue: 'required',
  warmupSteps: 'required',
}

/** A line up to the peak, then `rest`, which counts its steps from the end of the warm-up. */
export function afterWarmup(op: string, options: WarmupOptions, rest: Schedule): Schedule {
  const { initValue, peakValue, warmupSteps } = options
  checkFinite(op, { initValue, peakValue })
  checkNotNegative(op, { warmupSteps })
  const ramp = linearSchedule({ initValue, endValue: peakValue, transitionSteps: warmupSteps })
  return checked(op, (step) => (step < warmupSteps ? ramp(step) : rest(step - warmupSteps)))
}
