import { checkOptions, type OptionTable } from '../base/options/index.js'
import { checkFinite } from './checkNumbers.js'
import { type ExponentialDecayOptions, exponential, exponentialNames } from './exponentialDecay.js'
import type { Schedule } from './schedule.js'
import { afterWarmup, type WarmupOptions, warmupNames } from './warmup.js'

/** The options of the warm-up and of the decay; `transitionBegin` counts from the end of the warm-up. */
export interface WarmupExponentialDecayOptions extends WarmupOptions, ExponentialDecayOptions {}

const names: OptionTable<WarmupExponentialDecayOptions> = { ...warmupNames, ...exponentialNames }

/**
 * A line from `initValue` up to `peakValue`, then `exponentialDecay` from there.
 *
 * Source    optax 0.2.8, warmup_exponential_decay_schedule
 *
 * @example const rate = warmupExponentialDecaySchedule({ initValue: 0, peakValue: 1, warmupSteps: 10, transitionSteps: 20, decayRate: 0.5 })
 * [0, 5, 10, 30, 50].map(rate) // [0, 0.5, 1, 0.5, 0.25]
 */
export function warmupExponentialDecaySchedule(options: WarmupExponentialDecayOptions): Schedule {
  const op = 'warmupExponentialDecaySchedule'
  checkOptions(op, options, names)
  const { peakValue } = options
  checkFinite(op, { peakValue })
  return afterWarmup(op, options, exponential(op, { ...options, initValue: peakValue }))
}
