import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType, Tensor } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'
import { constantOf, scheduled, strongSchedule } from '../arithmetic/scheduled.js'
import type { Mask } from '../mask.js'
import { type EmptyState, type GradientTransformation, needParams } from '../transformation.js'
import { masked } from '../wrappers/masked.js'
import type { LearningRate } from './scaleByLearningRate.js'
import type { CountState } from './scaleBySchedule.js'

/** Which parameters decay. */
export interface DecayOptions extends ArithmeticOption {
  /** True where weights decay: a tree of booleans, a prefix of one, or a function of the parameters. Default: all. */
  readonly mask?: Mask
}

/** The names of `DecayOptions`. */
export const decayNames: OptionTable<DecayOptions> = {
  mask: 'optional',
  ...arithmeticNames,
}

/**
 * Updates plus `weightDecay` times the parameters before the step; `update` needs them.
 *
 * Dtype     a scheduled decay is a float32 scalar, as in optax: with it updates of bfloat16 parameters are float32.
 * Rounding  the product to the parameters' dtype, then the sum. A decay of the number 0 leaves updates untouched.
 *
 * @example tree.leavesOf(addDecayedWeights(0.5).update([tensor([1])], {}, [tensor([4])])[0])[0].item() // 3
 */
export function addDecayedWeights(
  weightDecay: LearningRate,
  options: DecayOptions = {},
): GradientTransformation {
  checkOptions('addDecayedWeights', options, decayNames)
  const a = arithmeticOf(options.arithmetic)
  if (typeof weightDecay !== 'function') checkScalar('addDecayedWeights', 'weightDecay', weightDecay)
  const transform: GradientTransformation<EmptyState | CountState> = {
    recordable: true,
    init: () => (typeof weightDecay === 'function' ? { count: 0 } : {}),
    update(updates, state, params) {
      const weights = needParams('addDecayedWeights', params)
      const next = 'count' in state ? { count: nextCount(state.count as number) } : state
      if (weightDecay === 0) return [updates, next]
      const rate =
        typeof weightDecay === 'function'
          ? scheduled('addDecayedWeights', weightDecay, (state as CountState).count)
          : undefined
      const decayOf = (dtype: FloatDType): Scalar => {
        if (rate !== undefined) return strongSchedule(a, rate, dtype)
        return typeof weightDecay === 'number' ? constantOf(a, weightDecay, dtype) : (weightDecay as Tensor)
      }
      const [decayed] = leafwise('addDecayedWeights', [updates, weights], ([g, p]) => [
        a.addOver(g!, a.mul(decayOf(p!.dtype as FloatDType), p!)),
      ])
      return [decayed, next]
    },
  }
  const whole = options.mask === undefined ? transform : masked(transform, options.mask)
  if (a.name !== 'ieee' || typeof weightDecay !== 'number') return whole
  return { ...whole, fusion: { kind: 'decay', weightDecay, mask: options.mask } }
}
