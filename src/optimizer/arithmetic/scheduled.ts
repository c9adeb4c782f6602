import type { Schedule } from '../../schedule/index.js'
import type { FloatDType } from '../../tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { checkNumber } from './checkScalar.js'

/** The schedule's value at a step, a RangeError where that is NaN. */
export function scheduled(op: string, schedule: Schedule, step: number): number {
  const value = schedule(step)
  checkNumber(op, `the schedule at step ${step}`, value)
  return value
}

/** A scheduled value as a constant of a dtype. */
export function constantOf(a: Elementwise, value: number, dtype: FloatDType): number {
  return a.weak(value, dtype)
}
