import { checkName, checkOptions, type OptionTable } from '../base/options/index.js'
import { checkCount, checkFinite } from './checkNumbers.js'
import { cosineDescent } from './cosineDecaySchedule.js'
import { joinSchedules } from './joinSchedules.js'
import type { Schedule } from './schedule.js'
import { afterWarmup } from './warmup.js'

/** The total number of steps, and the number of cycles. */
export interface DoublingPeriodsOptions {
  readonly warmupSteps: number
  /** The length of the whole schedule, warm-up included. */
  readonly totalSteps: number
  /** How many cosine cycles: one more than there are restarts. */
  readonly cycles: number
  /**
   * The steps left over by cycles of T, 2T, 4T ...: the last cycle includes them, so that it ends at
   * `totalSteps`, or the schedule ends early and stays at its end value ('drop', as published). Default 'last-cycle'.
   */
  readonly remainder?: 'last-cycle' | 'drop'
}

/** The names of `DoublingPeriodsOptions`. */
const periodNames: OptionTable<DoublingPeriodsOptions> = {
  warmupSteps: 'required',
  totalSteps: 'required',
  cycles: 'required',
  remainder: 'optional',
}

/** The cycles, and their start and end values. */
export interface DoublingRestartsOptions extends DoublingPeriodsOptions {
  /** The value at step 0, where the warmup begins. Default 0. */
  readonly initValue?: number
  /** The value at the start of every cycle. */
  readonly peakValue: number
  /** The value that every cycle approaches and the last one reaches. Default 0. */
  readonly endValue?: number
}

/** The names of `DoublingRestartsOptions`. */
const names: OptionTable<DoublingRestartsOptions> = {
  ...periodNames,
  peakValue: 'required',
  initValue: 'optional',
  endValue: 'optional',
}

/**
 * The lengths of the cycles of `doublingRestartsSchedule`: T, 2T, 4T ... with
 * T = floor((totalSteps - warmupSteps) / (2^cycles - 1)), the last one longer with remainder 'last-cycle'.
 *
 * @example doublingPeriods({ warmupSteps: 1000, totalSteps: 50000, cycles: 4 }) // [3266, 6532, 13064, 26138]
 * doublingPeriods({ warmupSteps: 1000, totalSteps: 50000, cycles: 4, remainder: 'drop' }) // [3266, 6532, 13064, 26128]
 */
export function doublingPeriods(options: DoublingPeriodsOptions): number[] {
  // The options of the schedule itself are accepted too.
  checkOptions('doublingPeriods', options, { ...names, peakValue: 'optional' })
  return periods('doublingPeriods', options)
}

/**
 * Warm restarts with cycles that double: a line from `initValue` up to `peakValue` in `warmupSteps`, then half cosine
 * waves from `peakValue` towards `endValue` of T, 2T, 4T ... steps (`doublingPeriods`), each begun anew at the peak.
 *
 * Special   with remainder 'last-cycle' and peakValue above endValue, every step from the end of the warm-up to the one
 *           before `totalSteps` is above endValue, and `totalSteps` has it; with `initValue` at least endValue so is
 *           every step of the warm-up but the first. With 'drop' up to 2^cycles - 2 steps before the end have it, too.
 * Throws    RangeError for cycles that do not fit, T < 1.
 * Source    I. Loshchilov, F. Hutter, SGDR, arXiv:1608.03983, with T_mult = 2
 *
 * @example const rate = doublingRestartsSchedule({ peakValue: 1, warmupSteps: 10, totalSteps: 80, cycles: 3 })
 * [0, 5, 10, 15, 20, 30, 40, 60, 80].map(rate) // [0, 0.5, 1, 0.5, 1, 0.5, 1, 0.5, 0]
 * doublingRestartsSchedule({ peakValue: 1, warmupSteps: 10, totalSteps: 16, cycles: 3 }) // throws doublingRestartsSchedule: 3 cycles need at least 7 steps after the warm-up [6]
 */
export function doublingRestartsSchedule(options: DoublingRestartsOptions): Schedule {
  const op = 'doublingRestartsSchedule'
  checkOptions(op, options, names)
  const { initValue = 0, peakValue, endValue = 0, warmupSteps } = options
  checkFinite(op, { initValue, peakValue, endValue })
  const lengths = periods(op, options)
  const restarts: number[] = []
  for (const length of lengths.slice(0, -1)) restarts.push((restarts.at(-1) ?? 0) + length)
  const cycles = lengths.map((length) => cosineDescent(peakValue, endValue, length, 1))
  return afterWarmup(op, { initValue, peakValue, warmupSteps }, joinSchedules(cycles, restarts))
}

function periods(op: string, options: DoublingPeriodsOptions): number[] {
  const { warmupSteps, totalSteps, cycles, remainder = 'last-cycle' } = options
  checkCount(op, { warmupSteps, totalSteps }, 0)
  checkCount(op, { cycles }, 1)
  checkName(op, 'remainder', remainder, ['last-cycle', 'drop'])
  const units = 2 ** cycles - 1
  const steps = totalSteps - warmupSteps
  if (steps < units) {
    throw new RangeError(`${op}: ${cycles} cycles need at least ${units} steps after the warm-up [${steps}]`)
  }
  const first = Math.floor(steps / units)
  const lengths = Array.from({ length: cycles }, (_, i) => first * 2 ** i)
  if (remainder === 'last-cycle') lengths[cycles - 1]! += steps - first * units
  return lengths
}
