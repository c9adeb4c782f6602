import type { Schedule } from '../schedule/index.js'
import type { FloatDType } from '../tensor/index.js'
import { type ArithmeticOption, arithmeticOf, type LaneArithmetic } from './arithmetic.js'
import { checkNumber } from './checkOptions.js'
import { tensorOf } from './lane.js'
import { leafwise } from './leafwise.js'
import { type GradientTransformation, nextCount } from './transformation.js'

/** Steps done. */
export type CountState = { readonly count: number }

/**
 * Updates times the schedule's value at the number of steps done before this one. The sign is kept: descent wants
 * `scaleByLearningRate`.
 *
 * Rounding  the value once to the leaf's dtype ('xla-cpu': to float32, then to it), then the product.
 *
 * @example tree.leavesOf(scaleBySchedule((step) => step + 2).update([tensor([3])], { count: 1 })[0])[0].item() // 9
 */
export function scaleBySchedule(
  schedule: Schedule,
  options: ArithmeticOption = {},
): GradientTransformation<CountState> {
  const a = arithmeticOf(options.arithmetic)
  return {
    ...(a.name === 'ieee' ? { fusion: { kind: 'scale', stepSize: schedule } as const } : {}),
    init: () => ({ count: 0 }),
    update(updates, { count }) {
      const value = scheduled('scaleBySchedule', schedule, count)
      const [scaled] = leafwise('scaleBySchedule', [updates], ([g]) => [
        tensorOf(a.mul(constantOf(a, value, g!.dtype as FloatDType), g!)),
      ])
      return [scaled, { count: nextCount(count) }]
    },
  }
}

/** The schedule's value at a step, a RangeError where that is NaN. */
export function scheduled(op: string, schedule: Schedule, step: number): number {
  const value = schedule(step)
  checkNumber(op, `the schedule at step ${step}`, value)
  return value
}

/** A scheduled value as a constant of a dtype. */
export function constantOf(a: LaneArithmetic, value: number, dtype: FloatDType): number {
  return a.weak(value, dtype)
}
