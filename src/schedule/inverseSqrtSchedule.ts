import { checkOptions, type OptionTable } from '../base/options/index.js'
import { checkPositive } from './checkNumbers.js'
import type { Schedule } from './schedule.js'
import { afterWarmup } from './warmup.js'

/** The warm-up, and how slowly it falls after. */
export interface InverseSqrtOptions {
  /** The value at step 0, where the warmup begins. Default 0. */
  readonly initValue?: number
  readonly peakValue: number
  readonly warmupSteps: number
  /** How slowly it falls: 3 times as many steps after the warm-up halve the peak. Above 0. Default `warmupSteps`. */
  readonly timescale?: number
}

/** The names of `InverseSqrtOptions`. */
const names: OptionTable<InverseSqrtOptions> = {
  peakValue: 'required',
  warmupSteps: 'required',
  initValue: 'optional',
  timescale: 'optional',
}

/**
 * A line up to `peakValue`, then the inverse of a square root, without an end.
 * From the end of the warm-up: peakValue sqrt(timescale / (timescale + step - warmupSteps)). With the default timescale
 * that is peakValue sqrt(warmupSteps / step), the Transformer's.
 *
 * Source    A. Vaswani et al., Attention Is All You Need, arXiv:1706.03762, 5.3; with a timescale X. Zhai et al.,
 *           Scaling Vision Transformers, arXiv:2106.04560
 *
 * @example [0, 5, 10, 40, 1000].map(inverseSqrtSchedule({ peakValue: 1, warmupSteps: 10 })) // [0, 0.5, 1, 0.5, 0.1]
 */
export function inverseSqrtSchedule(options: InverseSqrtOptions): Schedule {
  const op = 'inverseSqrtSchedule'
  checkOptions(op, options, names)
  const { initValue = 0, peakValue, warmupSteps, timescale = warmupSteps } = options
  checkPositive(op, { timescale })
  const fall: Schedule = (step) => peakValue * Math.sqrt(timescale / (timescale + step))
  return afterWarmup(op, { initValue, peakValue, warmupSteps }, fall)
}
