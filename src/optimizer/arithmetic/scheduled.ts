import type { Schedule } from '../../schedule/index.js'
import { cast, type FloatDType, Tensor } from '../../tensors/tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { checkScalar } from './checkScalar.js'
import { atCount, type Count, countOp } from './count.js'
import type { Scalar } from './operand.js'

/** The schedule's value at a step, a RangeError where that is NaN; of a count that is a tensor a float64 tensor. */
export function scheduled(op: string, schedule: Schedule, step: number): number
export function scheduled(op: string, schedule: Schedule, step: Count): Scalar
export function scheduled(op: string, schedule: Schedule, step: Count): Scalar {
  if (step instanceof Tensor) return atCount(scheduleOf(op, schedule), step, undefined)
  const value = schedule(step)
  checkScalar(op, `the schedule at step ${step}`, value)
  return value
}

/** Schedules as operations, so that one is the same in every recording. */
const scheduleOps = new WeakMap<Schedule, ReturnType<typeof countOp<undefined>>>()

function scheduleOf(op: string, schedule: Schedule): ReturnType<typeof countOp<undefined>> {
  const known = scheduleOps.get(schedule) ?? countOp('schedule', (step) => scheduled(op, schedule, step))
  scheduleOps.set(schedule, known)
  return known
}

/**
 * A scheduled value where optax computes on with it: a strong float32 scalar, which bfloat16 meets in float32; for float64
 * leaves a weak number.
 */
export function strongSchedule(a: Elementwise, value: Scalar, dtype: FloatDType): Scalar {
  if (dtype === 'float64') return value
  if (value instanceof Tensor) return cast(value, 'float32')
  return new Tensor('float32', [], Float32Array.of(a.weak(value, 'float32')))
}

/** A rate at a step, for an optimizer that computes on with it: a number as it is, of a schedule `strongSchedule`. */
export function rateAt(
  a: Elementwise,
  op: string,
  learningRate: Scalar | Schedule,
  count: number,
  dtype: FloatDType,
): Scalar {
  return typeof learningRate === 'function'
    ? strongSchedule(a, scheduled(op, learningRate, count), dtype)
    : learningRate
}

/** A scheduled value as a constant of a dtype. */
export function constantOf(a: Elementwise, value: Tensor, dtype: FloatDType): Tensor
export function constantOf(a: Elementwise, value: Scalar, dtype: FloatDType): Scalar
export function constantOf(a: Elementwise, value: Scalar, dtype: FloatDType): Scalar {
  if (typeof value === 'number') return a.weak(value, dtype)
  return cast(a.name === 'xla-cpu' && dtype !== 'float64' ? cast(value, 'float32') : value, dtype)
}
