import { checkFunction, checkOptions } from '../../base/options/index.js'
import type { Schedule } from '../../schedule/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { nextCount } from '../arithmetic/count.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { constantOf, scheduled } from '../arithmetic/scheduled.js'
import type { GradientTransformation } from '../transformation.js'

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
  checkFunction('scaleBySchedule', 'the schedule', schedule)
  checkOptions('scaleBySchedule', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  return {
    ...(a.name === 'ieee' ? { fusion: { kind: 'scale', stepSize: schedule } as const } : {}),
    recordable: true,
    init: () => ({ count: 0 }),
    update(updates, { count }) {
      const value = scheduled('scaleBySchedule', schedule, count)
      const [scaled] = leafwise('scaleBySchedule', [updates], ([g]) => [
        a.mul(constantOf(a, value, g!.dtype as FloatDType), g!),
      ])
      return [scaled, { count: nextCount(count) }]
    },
  }
}
