import { checkOptions, type OptionTable } from '../../options/index.js'
import type { FloatDType } from '../../tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkNumber } from '../arithmetic/checkScalar.js'
import { tensorOf } from '../arithmetic/decoded.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { constantOf, scheduled } from '../arithmetic/scheduled.js'
import type { Mask } from '../mask.js'
import { type EmptyState, type GradientTransformation, needParams, nextCount } from '../transformation.js'
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
