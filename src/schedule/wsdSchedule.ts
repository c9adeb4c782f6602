import { checkName, checkOptions, type OptionTable } from '../base/options/index.js'
import { blend, cosineShare } from './blend.js'
import { checkFinite, checkNotNegative, checkPositive } from './checkNumbers.js'
import type { Schedule } from './schedule.js'
import { afterWarmup } from './warmup.js'

/** The shape of the decay phase of `wsdSchedule`. */
export type WsdShape = 'linear' | 'cosine' | '1-sqrt'

/** The lengths of the three phases, and their values. */
export interface WsdOptions {
  /** The value at step 0, where the warmup begins. Default 0. */
  readonly initValue?: number
  readonly peakValue: number
  /** The value after the decay. Default 0. */
  readonly endValue?: number
  readonly warmupSteps: number
  /** How long the peak is held. */
  readonly stableSteps: number
  /** The length of the decay alone, above 0. */
  readonly decaySteps: number
  /** Default 'linear'. */
  readonly decayShape?: WsdShape
}

/** The names of `WsdOptions`. */
const names: OptionTable<WsdOptions> = {
  peakValue: 'required',
  warmupSteps: 'required',
  stableSteps: 'required',
  decaySteps: 'required',
  initValue: 'optional',
  endValue: 'optional',
  decayShape: 'optional',
}

/** The part of the way down that is left after the part q of the steps. */
const shares: Readonly<Record<WsdShape, (q: number) => number>> = {
  linear: (q) => 1 - q,
  cosine: cosineShare,
  '1-sqrt': (q) => 1 - Math.sqrt(q),
}

/**
 * Warm-up, stable, decay: a line up to `peakValue`, held for `stableSteps`, then down to `endValue` in `decaySteps`,
 * and held there. In the decay, with q the part of its steps that has passed:
 * (peakValue - endValue) share + endValue, share = 1 - q, (1 + cos(pi q)) / 2 or 1 - sqrt(q). Both ends are exact.
 *
 * Source    S. Hu et al., MiniCPM, arXiv:2404.06395; the shapes A. Hägele et al., arXiv:2405.18392
 *
 * @example const rate = wsdSchedule({ peakValue: 1, warmupSteps: 10, stableSteps: 80, decaySteps: 10 })
 * [0, 5, 10, 90, 95, 100, 101].map(rate) // [0, 0.5, 1, 1, 0.5, 0, 0]
 */
export function wsdSchedule(options: WsdOptions): Schedule {
  const op = 'wsdSchedule'
  checkOptions(op, options, names)
  const { initValue = 0, peakValue, endValue = 0, warmupSteps, stableSteps, decaySteps } = options
  const { decayShape = 'linear' } = options
  checkFinite(op, { endValue })
  checkNotNegative(op, { stableSteps })
  checkPositive(op, { decaySteps })
  checkName(op, 'decayShape', decayShape, Object.keys(shares))
  const share = shares[decayShape]
  return afterWarmup(op, { initValue, peakValue, warmupSteps }, (step) =>
    blend(peakValue, endValue, share(Math.min(Math.max(step - stableSteps, 0) / decaySteps, 1))),
  )
}
