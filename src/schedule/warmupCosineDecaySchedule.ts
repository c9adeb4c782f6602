import { checkOptions, type OptionTable } from '../base/options/index.js'
import { checkFinite, checkNotNegative } from './checkNumbers.js'
import { cosineDescent } from './cosineDecaySchedule.js'
import type { Schedule } from './schedule.js'
import { afterWarmup, type WarmupOptions, warmupNames } from './warmup.js'

/** The warm-up, the length of the whole, and where it ends. */
export interface WarmupCosineDecayOptions extends WarmupOptions {
  /** The length of the whole schedule, warm-up included: above `warmupSteps`. */
  readonly decaySteps: number
  /** The value from `decaySteps` on; ignored, 0 instead, where `peakValue` is 0: as optax. Default 0. */
  readonly endValue?: number
  /** The power to which the cosine is raised, not negative. Default 1. */
  readonly exponent?: number
}

/** The names of `WarmupCosineDecayOptions`. */
const names: OptionTable<WarmupCosineDecayOptions> = {
  ...warmupNames,
  decaySteps: 'required',
  endValue: 'optional',
  exponent: 'optional',
}

/**
 * A line from `initValue` up to `peakValue`, then half a cosine wave down to `endValue`, all in `decaySteps` steps.
 * From the end of the warm-up, with y = (1 + cos(pi (step - warmupSteps) / (decaySteps - warmupSteps))) / 2:
 * (peakValue - endValue) y^exponent + endValue. The peak and the end are exact.
 *
 * Error     4 ulp of float64 of the largest of the values and their differences, exponent 1 or 2.
 * Source    optax 0.2.8, warmup_cosine_decay_schedule
 *
 * @example const rate = warmupCosineDecaySchedule({ initValue: 0, peakValue: 1, warmupSteps: 10, decaySteps: 110, endValue: 0.5 })
 * [0, 5, 10, 60, 110, 1e6].map(rate) // [0, 0.5, 1, 0.75, 0.5, 0.5]
 */
export function warmupCosineDecaySchedule(options: WarmupCosineDecayOptions): Schedule {
  return warmupCosine('warmupCosineDecaySchedule', options)
}

/** The same function, under another name in its errors. */
export function warmupCosine(op: string, options: WarmupCosineDecayOptions): Schedule {
  checkOptions(op, options, names)
  const { peakValue, warmupSteps, decaySteps, endValue = 0, exponent = 1 } = options
  checkFinite(op, { peakValue, warmupSteps, decaySteps, endValue })
  checkNotNegative(op, { exponent })
  if (decaySteps <= warmupSteps) {
    throw new RangeError(
      `${op}: decaySteps, warm-up included, is not above warmupSteps [${decaySteps} and ${warmupSteps}]`,
    )
  }
  const end = peakValue === 0 ? 0 : endValue
  return afterWarmup(op, options, cosineDescent(peakValue, end, decaySteps - warmupSteps, exponent))
}
