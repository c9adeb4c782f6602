import type { FloatDType } from '../tensor/index.js'
import { type ArithmeticOption, arithmeticOf } from './arithmetic.js'
import { checkNumber } from './checkOptions.js'
import { tensorOf } from './lane.js'
import { leafwise } from './leafwise.js'
import type { Mask } from './mask.js'
import { masked } from './masked.js'
import type { LearningRate } from './scaleByLearningRate.js'
import { type CountState, constantOf, scheduled } from './scaleBySchedule.js'
import { type EmptyState, type GradientTransformation, needParams, nextCount } from './transformation.js'

/** Which parameters decay. */
export interface DecayOptions extends ArithmeticOption {
  /** True where weights decay: a tree of booleans, a prefix of one, or a function of the parameters. Default: all. */
  readonly mask?: Mask
}

/**
 * Updates plus `weightDecay` times the parameters before the step; `update` needs them.
 *
 * Rounding  the product to the parameters' dtype, then the sum. A decay of the number 0 leaves updates untouched.
 *
 * @example tree.leavesOf(addDecayedWeights(0.5).update([tensor([1])], {}, [tensor([4])])[0])[0].item() // 3
 */
export function addDecayedWeights(
  weightDecay: LearningRate,
  options: DecayOptions = {},
): GradientTransformation {
  const a = arithmeticOf(options.arithmetic)
  if (typeof weightDecay !== 'function') checkNumber('addDecayedWeights', 'weightDecay', weightDecay)
  const transform: GradientTransformation<EmptyState | CountState> = {
    init: () => (typeof weightDecay === 'function' ? { count: 0 } : {}),
    update(updates, state, params) {
      const weights = needParams('addDecayedWeights', params)
      const next = 'count' in state ? { count: nextCount(state.count as number) } : state
      if (weightDecay === 0) return [updates, next]
      const decay =
        typeof weightDecay === 'function'
          ? scheduled('addDecayedWeights', weightDecay, (state as CountState).count)
          : weightDecay
      const [decayed] = leafwise('addDecayedWeights', [updates, weights], ([g, p]) => [
        tensorOf(
          a.add(
            g!,
            a.mul(typeof decay === 'number' ? constantOf(a, decay, p!.dtype as FloatDType) : decay, p!),
          ),
        ),
      ])
      return [decayed, next]
    },
  }
  const whole = options.mask === undefined ? transform : masked(transform, options.mask)
  if (a.name !== 'ieee' || typeof weightDecay !== 'number') return whole
  return { ...whole, fusion: { kind: 'decay', weightDecay, mask: options.mask } }
}
