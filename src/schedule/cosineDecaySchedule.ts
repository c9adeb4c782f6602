import { checkOptions, type OptionTable } from '../base/options/index.js'
import { blend, cosineShare } from './blend.js'
import { checkFinite, checkNotNegative, checkPositive } from './checkNumbers.js'
import { checked, type Schedule } from './schedule.js'

/** Initial value, number of steps, and final share of a cosine decay. */
export interface CosineDecayOptions {
  readonly initValue: number
  /** Above 0. */
  readonly decaySteps: number
  /** The end value as a share of `initValue`. Default 0. */
  readonly alpha?: number
  /** The power to which the cosine is raised, not negative. Default 1. */
  readonly exponent?: number
}

/** The names of `CosineDecayOptions`. */
const names: OptionTable<CosineDecayOptions> = {
  initValue: 'required',
  decaySteps: 'required',
  alpha: 'optional',
  exponent: 'optional',
}

/**
 * Half a cosine wave down, then held.
 * With y = (1 + cos(pi min(step, decaySteps) / decaySteps)) / 2: initValue ((1 - alpha) y^exponent + alpha). The first
 * value is initValue and the last initValue alpha, exactly.
 *
 * Error     4 ulp of float64 of initValue, exponent 1 or 2.
 * Source    optax 0.2.8, cosine_decay_schedule; I. Loshchilov, F. Hutter, SGDR, arXiv:1608.03983
 *
 * @example cosineDecaySchedule({ initValue: 2, decaySteps: 100, alpha: 0.5 })(50) // 1.5
 * cosineDecaySchedule({ initValue: 1, decaySteps: 0 }) // throws cosineDecaySchedule: decaySteps is not a finite number above 0 [0]
 */
export function cosineDecaySchedule(options: CosineDecayOptions): Schedule {
  const op = 'cosineDecaySchedule'
  checkOptions(op, options, names)
  const { initValue, decaySteps, alpha = 0, exponent = 1 } = options
  checkFinite(op, { initValue, alpha })
  checkPositive(op, { decaySteps })
  checkNotNegative(op, { exponent })
  return checked(op, cosineDescent(initValue, initValue * alpha, decaySteps, exponent))
}

/** Half a cosine wave from one value to another, then held; both ends exactly. */
export function cosineDescent(from: number, to: number, steps: number, exponent: number): Schedule {
  return (step) => blend(from, to, cosineShare(Math.min(step, steps) / steps) ** exponent)
}
