import type { Schedule } from '../../schedule/index.js'
import type { FloatDType } from '../../tensor/index.js'
import { Tensor } from '../../tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { checkNumber } from './checkScalar.js'
import type { Scalar } from './decoded.js'

/** The schedule's value at a step, a RangeError where that is NaN. */
export function scheduled(op: string, schedule: Schedule, step: number): number {
  const value = schedule(step)
  checkNumber(op, `the schedule at step ${step}`, value)
  return value
}

/**
 * A scheduled value where optax computes on with it: a strong float32 scalar, which bfloat16 meets in float32; for float64
 * leaves a weak number.
 */
export function strongSchedule(a: Elementwise, value: number, dtype: FloatDType): Scalar {
  return dtype === 'float64' ? value : new Tensor('float32', [], Float32Array.of(a.weak(value, 'float32')))
}

/** A scheduled value as a constant of a dtype. */
export function constantOf(a: Elementwise, value: number, dtype: FloatDType): number {
  return a.weak(value, dtype)
}
