import { checkStep } from './checkNumbers.js'

/**
 * A rate as a pure function of the step, in float64; the optimizer rounds it to the dtype in use. The first update is step
 * 0. A step may be a fraction and may lie past the end.
 *
 * Throws    RangeError for a step that is negative or not finite.
 */
export type Schedule = (step: number) => number

/** `rate` with a check of its step; the error has the name of the schedule. */
export function checked(op: string, rate: Schedule): Schedule {
  return (step) => {
    checkStep(op, step)
    return rate(step)
  }
}
