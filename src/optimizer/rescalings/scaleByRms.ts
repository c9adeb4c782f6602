import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { fullLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateSecondMoment } from '../arithmetic/moments.js'
import type { Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** How gradients are rescaled by their root mean square. */
export interface ScaleByRmsOptions extends ArithmeticOption {
  /** Decay of the mean of squares. Default: 0.9. */
  readonly decay?: Scalar
  /** Default: 1e-8. */
  readonly eps?: Scalar
  /** What the mean of squares starts at. Default: 0. */
  readonly initialScale?: number
  /** Whether eps is added under the root. Default: true. */
  readonly epsInSqrt?: boolean
  /** Whether means are divided by 1 - decay^t. Default: false. */
  readonly biasCorrection?: boolean
}

/** The names of `ScaleByRmsOptions`. */
export const scaleByRmsNames: OptionTable<ScaleByRmsOptions> = {
  decay: 'optional',
  eps: 'optional',
  initialScale: 'optional',
  epsInSqrt: 'optional',
  biasCorrection: 'optional',
  ...arithmeticNames,
}

/** Steps done and the mean of squares. */
export type RmsState = { readonly count: number; readonly nu: Tree }

/**
 * Updates by their root mean square: nu' = (1 - decay) g^2 + decay nu, u = g / sqrt(nu' + eps), or
 * g (1 / (sqrt(nu') + eps)) where eps is not under the root.
 *
 * Rounding  1 / sqrt once. XLA's rsqrt is the processor's estimate: up to 2 ulp apart from it.
 */
export function scaleByRms(options: ScaleByRmsOptions = {}): GradientTransformation<RmsState> {
  checkOptions('scaleByRms', options, scaleByRmsNames)
  const { decay = 0.9, initialScale = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  checkRms('scaleByRms', options)
  return {
    recordable: true,
    init: (params) => ({ count: 0, nu: fullLike(params, initialScale) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const [scaled, nu] = leafwise('scaleByRms', [updates, state.nu], ([g, v], count) => {
        const square = updateSecondMoment(a, decay, g!, v!)
        const hat = options.biasCorrection ? biasCorrection(a, decay, t, square, count) : square
        return [a.mul(inverseRoot(a, hat, options), g!), square]
      })
      return [scaled, { count: t, nu }]
    },
  }
}

export function inverseRoot(a: Elementwise, x: Tensor, options: ScaleByRmsOptions): Tensor {
  const { eps = 1e-8, epsInSqrt = true } = options
  return epsInSqrt ? a.rsqrt(a.add(x, eps)) : a.div(1, a.add(a.sqrt(x), eps))
}

export function checkRms(op: string, { decay = 0.9, eps = 1e-8, initialScale = 0 }: ScaleByRmsOptions): void {
  checkScalar(op, 'decay', decay, 0, 1)
  checkScalar(op, 'eps', eps, 0)
  checkScalar(op, 'initialScale', initialScale, 0)
}
