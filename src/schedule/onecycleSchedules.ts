import { checkOptions, type OptionTable } from '../base/options/index.js'
import { checkFinite, checkPositive } from './checkNumbers.js'
import { interpolate } from './piecewiseSchedules.js'
import type { Schedule } from './schedule.js'

/** The number of steps, the peak, and the ratios of the end values to it. */
export interface CosineOnecycleOptions {
  /** Above 0. */
  readonly transitionSteps: number
  readonly peakValue: number
  /** The part of the steps before the peak, from 0 to 1. Default 0.3. */
  readonly pctStart?: number
  /** The first value is peakValue / divFactor. Default 25. */
  readonly divFactor?: number
  /** The last value is the first divided by this. Default 1e4. */
  readonly finalDivFactor?: number
}

/** The names of `CosineOnecycleOptions`. */
const cosineNames: OptionTable<CosineOnecycleOptions> = {
  transitionSteps: 'required',
  peakValue: 'required',
  pctStart: 'optional',
  divFactor: 'optional',
  finalDivFactor: 'optional',
}

/** `CosineOnecycleOptions`, and where the third line begins. */
export interface LinearOnecycleOptions extends CosineOnecycleOptions {
  /** The part of the steps before the first value is reached again, from `pctStart` to 1. Default 0.85. */
  readonly pctFinal?: number
}

/** The names of `LinearOnecycleOptions`. */
const linearNames: OptionTable<LinearOnecycleOptions> = {
  ...cosineNames,
  pctFinal: 'optional',
}

/**
 * Three lines: up from peakValue / divFactor to peakValue, down to where it began, and on down to that over
 * `finalDivFactor`.
 *
 * Special   the turning points are rounded down to whole steps; where that makes two of them equal, the later one
 *           replaces the earlier: as optax.
 * Source    optax 0.2.8, linear_onecycle_schedule; L. N. Smith, N. Topin, arXiv:1708.07120
 *
 * @example const rate = linearOnecycleSchedule({ transitionSteps: 100, peakValue: 1, divFactor: 4, finalDivFactor: 2 })
 * [0, 15, 30, 85, 100].map(rate) // [0.25, 0.625, 1, 0.25, 0.125]
 */
export function linearOnecycleSchedule(options: LinearOnecycleOptions): Schedule {
  const op = 'linearOnecycleSchedule'
  checkOptions(op, options, linearNames)
  const { transitionSteps, peakValue, pctStart = 0.3, pctFinal = 0.85 } = options
  const { divFactor = 25, finalDivFactor = 1e4 } = options
  checkCycle(op, { peakValue, pctStart, transitionSteps, divFactor, finalDivFactor })
  if (!(pctFinal >= pctStart && pctFinal <= 1)) {
    throw new RangeError(`${op}: pctFinal is not a number from pctStart, ${pctStart}, to 1 [${pctFinal}]`)
  }
  return interpolate(op, {
    interpolateType: 'linear',
    initValue: peakValue / divFactor,
    boundariesAndScales: {
      [Math.trunc(pctStart * transitionSteps)]: divFactor,
      [Math.trunc(pctFinal * transitionSteps)]: 1 / divFactor,
      [transitionSteps]: 1 / finalDivFactor,
    },
  })
}

/**
 * Two half cosine waves: up from peakValue / divFactor to peakValue, and down to
 * peakValue / (divFactor finalDivFactor).
 *
 * Special   turning points as in `linearOnecycleSchedule`.
 * Source    optax 0.2.8, cosine_onecycle_schedule; L. N. Smith, N. Topin, arXiv:1708.07120
 *
 * @example const rate = cosineOnecycleSchedule({ transitionSteps: 100, peakValue: 1, divFactor: 4, finalDivFactor: 2 })
 * [0, 15, 30, 65, 100].map(rate) // [0.25, 0.625, 1, 0.5625, 0.125]
 */
export function cosineOnecycleSchedule(options: CosineOnecycleOptions): Schedule {
  const op = 'cosineOnecycleSchedule'
  checkOptions(op, options, cosineNames)
  const { transitionSteps, peakValue, pctStart = 0.3, divFactor = 25, finalDivFactor = 1e4 } = options
  checkCycle(op, { peakValue, pctStart, transitionSteps, divFactor, finalDivFactor })
  return interpolate(op, {
    interpolateType: 'cosine',
    initValue: peakValue / divFactor,
    boundariesAndScales: {
      [Math.trunc(pctStart * transitionSteps)]: divFactor,
      [Math.trunc(transitionSteps)]: 1 / (divFactor * finalDivFactor),
    },
  })
}

function checkCycle(op: string, options: Required<CosineOnecycleOptions>): void {
  const { peakValue, pctStart, ...positive } = options
  checkFinite(op, { peakValue })
  checkPositive(op, positive)
  if (!(pctStart >= 0 && pctStart <= 1)) {
    throw new RangeError(`${op}: pctStart is not a number from 0 to 1 [${pctStart}]`)
  }
}
