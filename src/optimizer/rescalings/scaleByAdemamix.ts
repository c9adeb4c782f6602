import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Schedule } from '../../schedule/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDecay, checkDtype, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import type { Scalar } from '../arithmetic/operand.js'
import { scheduled, strongSchedule } from '../arithmetic/scheduled.js'
import type { GradientTransformation } from '../transformation.js'

/** The constants of AdEMAMix. */
export interface ScaleByAdemamixOptions extends ArithmeticOption {
  /** Decay of the fast mean of gradients. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the mean of squares. Default: 0.999, which is 1 in bfloat16. */
  readonly b2?: Scalar
  /** Decay of the slow mean of gradients, or its schedule. Default: 0.9999, which is 1 in bfloat16. */
  readonly b3?: Scalar | Schedule
  /** Weight of the slow mean, or its schedule. Default: 6. */
  readonly alpha?: Scalar | Schedule
  /** Added to the root. Default: 1e-8. */
  readonly eps?: Scalar
  /** Added under the root. Default: 0. */
  readonly epsRoot?: Scalar
  /** The dtype in which the moments begin. Default: that of the parameters. */
  readonly muDtype?: FloatDType
}

/** The names of `ScaleByAdemamixOptions`. */
export const scaleByAdemamixNames: OptionTable<ScaleByAdemamixOptions> = {
  b1: 'optional',
  b2: 'optional',
  b3: 'optional',
  alpha: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  muDtype: 'optional',
  ...arithmeticNames,
}

/** Steps done, the fast and the slow mean of gradients, the mean of squares. */
export type AdemamixState = {
  readonly count: number
  readonly m1: Tree
  readonly m2: Tree
  readonly nu: Tree
}

/**
 * Adam with a second, slow mean: u = (m1' / (1 - b1^t) + alpha m2') / (sqrt(nu' / (1 - b2^t) + epsRoot) + eps).
 *
 * Dtype     what a schedule gives for b3 or alpha is a float32 scalar, as in optax.
 * Special   in bfloat16 the default b3 is 1 and 1 - b3 is 1e-4: m2 sums and never forgets.
 * Source    The AdEMAMix optimizer, arXiv:2409.03137
 */
export function scaleByAdemamix(options: ScaleByAdemamixOptions = {}): GradientTransformation<AdemamixState> {
  checkOptions('scaleByAdemamix', options, scaleByAdemamixNames)
  checkDtype('scaleByAdemamix', 'muDtype', options.muDtype)
  const { b1 = 0.9, b2 = 0.999, b3 = 0.9999, alpha = 6, eps = 1e-8, epsRoot = 0, muDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkDecay('scaleByAdemamix', 'b1', b1)
  checkDecay('scaleByAdemamix', 'b2', b2)
  if (typeof b3 !== 'function') checkScalar('scaleByAdemamix', 'b3', b3, 0, 1)
  if (typeof alpha !== 'function') checkScalar('scaleByAdemamix', 'alpha', alpha)
  checkScalar('scaleByAdemamix', 'eps', eps, 0)
  checkScalar('scaleByAdemamix', 'epsRoot', epsRoot, 0)
  const at = (value: Scalar | Schedule, count: number, dtype: FloatDType): Scalar =>
    typeof value === 'function' ? strongSchedule(a, scheduled('scaleByAdemamix', value, count), dtype) : value
  return {
    // A schedule is asked for a number.
    recordable: typeof b3 !== 'function' && typeof alpha !== 'function',
    init: (params) => ({
      count: 0,
      m1: zerosLike(params, muDtype),
      m2: zerosLike(params, muDtype),
      nu: zerosLike(params, muDtype),
    }),
    update(updates, state) {
      const t = nextCount(state.count)
      const trees = [updates, state.m1, state.m2, state.nu] as const
      const [scaled, m1, m2, nu] = leafwise('scaleByAdemamix', trees, ([g, fast, slow, v], leaves) => {
        const dtype = g!.dtype as FloatDType
        const nextFast = updateMoment(a, b1, g!, fast!)
        const nextSlow = updateMoment(a, at(b3, state.count, dtype), g!, slow!)
        const square = updateSecondMoment(a, b2, g!, v!)
        const mixed = a.add(
          biasCorrection(a, b1, t, nextFast, leaves),
          a.mul(at(alpha, state.count, dtype), nextSlow),
        )
        const root = a.sqrt(a.add(biasCorrection(a, b2, t, square, leaves), epsRoot))
        return [a.div(mixed, a.add(root, eps)), nextFast, nextSlow, square]
      })
      return [scaled, { count: t, m1, m2, nu }]
    },
  }
}
