import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, neg, type Tensor } from '../../tensors/tensor/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkDtype, checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { choose, isAt } from '../arithmetic/choose.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import { inDtype, isNumber, type Scalar } from '../arithmetic/operand.js'
import { constantOf, scheduled } from '../arithmetic/scheduled.js'
import type { GradientTransformation } from '../transformation.js'
import type { AdamState } from './scaleByAdam.js'

/** The constants of ADOPT. */
export interface ScaleByAdoptOptions extends ArithmeticOption {
  /** Decay of the mean of rescaled gradients. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the mean of squares. Default: 0.9999, which is 1 in bfloat16. */
  readonly b2?: Scalar
  /** The smallest root. Default: 1e-6. */
  readonly eps?: Scalar
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
  /** Nesterov momentum. Default: false. */
  readonly nesterov?: boolean
  /** Whether rescaled gradients are clipped. Default: true. */
  readonly useClipping?: boolean
  /** The limit by the number of steps done. Default: its fourth root, so that the first step moves nothing. */
  readonly clipValueFn?: (count: number) => number
}

/** The names of `ScaleByAdoptOptions`. */
export const scaleByAdoptNames: OptionTable<ScaleByAdoptOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  muDtype: 'optional',
  nesterov: 'optional',
  useClipping: 'optional',
  clipValueFn: 'optional',
  ...arithmeticNames,
}

/**
 * ADOPT's rescaling: gradients divided by the root of the mean of squares before this step, at least eps, clipped, and then
 * averaged: mu' = (1 - b1) clip(g / max(sqrt(nu), eps)) + b1 mu, nu' = (1 - b2) g^2 + b2 nu. The first step sets nu = g^2.
 *
 * Source    ADOPT, arXiv:2411.02853
 */
export function scaleByAdopt(options: ScaleByAdoptOptions = {}): GradientTransformation<AdamState> {
  checkOptions('scaleByAdopt', options, scaleByAdoptNames)
  checkDtype('scaleByAdopt', 'muDtype', options.muDtype)
  checkFlag('scaleByAdopt', 'nesterov', options.nesterov)
  checkFlag('scaleByAdopt', 'useClipping', options.useClipping)
  const { b1 = 0.9, b2 = 0.9999, eps = 1e-6, muDtype, nesterov = false, useClipping = true } = options
  const a = arithmeticOf(options.arithmetic)
  const limitAt = options.clipValueFn ?? ((count) => a.power(count, 0.25, 'float32'))
  checkFunction('scaleByAdopt', 'clipValueFn', limitAt)
  checkScalar('scaleByAdopt', 'b1', b1, 0, 1)
  checkScalar('scaleByAdopt', 'b2', b2, 0, 1)
  checkScalar('scaleByAdopt', 'eps', eps, 0)
  return {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params, muDtype), nu: zerosLike(params) }),
    update(updates, state) {
      const first = isAt(state.count, 0)
      const limit = useClipping ? scheduled('scaleByAdopt', limitAt, state.count) : Number.POSITIVE_INFINITY
      if (isNumber(limit)) checkScalar('scaleByAdopt', `the clip value at step ${state.count}`, limit, 0)
      const trees = [updates, state.mu, state.nu] as const
      const [direction, mu, nu] = leafwise('scaleByAdopt', trees, ([g, m, v]) => {
        const rescaled = a.div(g!, a.maximum(a.sqrt(v!), eps))
        const clipped = useClipping ? clippedBy(a, rescaled, limit) : rescaled
        const step = (b1Now: Scalar, b2Now: Scalar): readonly [Tensor, Tensor, Tensor] => {
          const mean = updateMoment(a, b1Now, clipped, m!)
          return [
            nesterov ? updateMoment(a, b1Now, clipped, mean) : mean,
            inDtype(mean, muDtype),
            updateSecondMoment(a, b2Now, g!, v!),
          ]
        }
        return choose(
          first,
          () => step(1, 0),
          () => step(float32(a, b1), float32(a, b2)),
        )
      })
      return [direction, { count: nextCount(state.count), mu, nu }]
    },
  }
}

/** Elements from -limit to limit, which may be a count's and recorded. */
function clippedBy(a: Elementwise, x: Tensor, limit: Scalar): Tensor {
  const most = constantOf(a, limit, x.dtype as FloatDType)
  return a.minimum(a.maximum(x, isNumber(most) ? -most : neg(most)), most)
}

/** optax chooses between the decay and its first value in float32: what 1 - b is computed from. */
function float32(a: Elementwise, decay: Scalar): Scalar {
  return typeof decay === 'number' && a.name === 'xla-cpu' ? a.weak(decay, 'float32') : decay
}
