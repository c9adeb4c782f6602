import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { zeros } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDecay, checkScalar } from '../arithmetic/checkScalar.js'
import { choose, isAt } from '../arithmetic/choose.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { zipLeaves } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import type { Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** The constants of Adan. */
export interface ScaleByAdanOptions extends ArithmeticOption {
  /** Decay of the mean of gradients. Default: 0.98. */
  readonly b1?: Scalar
  /** Decay of the mean of their differences. Default: 0.92. */
  readonly b2?: Scalar
  /** Decay of the mean of squares. Default: 0.99. */
  readonly b3?: Scalar
  /** Added to the root. Default: 1e-8. */
  readonly eps?: Scalar
  /** Added under the root. Default: 0. */
  readonly epsRoot?: Scalar
}

/** The names of `ScaleByAdanOptions`. */
export const scaleByAdanNames: OptionTable<ScaleByAdanOptions> = {
  b1: 'optional',
  b2: 'optional',
  b3: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  ...arithmeticNames,
}

/** The means of gradients, of their differences, of squares; the last gradient; steps done. */
export type AdanState = {
  readonly m: Tree
  readonly v: Tree
  readonly n: Tree
  readonly g: Tree
  readonly t: number
}

/**
 * Adan's rescaling: with d the gradient less the one before (0 at the first step), the means m of g, v of d and n of
 * (g + (1 - b2) d)^2, each divided by 1 - b^t: u = (m + (1 - b2) v) / (sqrt(n + epsRoot) + eps).
 *
 * Source    Adan, arXiv:2208.06677; the order of operations is optax's.
 */
export function scaleByAdan(options: ScaleByAdanOptions = {}): GradientTransformation<AdanState> {
  checkOptions('scaleByAdan', options, scaleByAdanNames)
  const { b1 = 0.98, b2 = 0.92, b3 = 0.99, eps = 1e-8, epsRoot = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  for (const [name, value] of Object.entries({ b1, b2, b3 })) checkDecay('scaleByAdan', name, value)
  checkScalar('scaleByAdan', 'eps', eps, 0)
  checkScalar('scaleByAdan', 'epsRoot', epsRoot, 0)
  return {
    recordable: true,
    init(params) {
      const zeros = zerosLike(params)
      return { m: zeros, v: zeros, n: zeros, g: zeros, t: 0 }
    },
    update(updates, state) {
      const t = nextCount(state.t)
      const trees = [updates, state.m, state.v, state.n, state.g] as const
      const [scaled, m, v, n] = zipLeaves('scaleByAdan', trees, ([g, oldM, oldV, oldN, last], leaves) => {
        const [diff] = choose(
          isAt(state.t, 0),
          () => [zeros(g!.shape, { dtype: g!.dtype })],
          () => [a.sub(g!, last!)],
        )
        const mean = updateMoment(a, b1, g!, oldM!)
        const change = updateMoment(a, b2, diff, oldV!)
        const square = updateSecondMoment(a, b3, a.add(g!, a.mul(a.oneMinus(b2), diff)), oldN!)
        const hat = (decay: Scalar, x: typeof mean): typeof mean => biasCorrection(a, decay, t, x, leaves)
        const ahead = a.add(hat(b1, mean), a.mul(a.oneMinus(b2), hat(b2, change)))
        const root = a.sqrt(a.add(hat(b3, square), epsRoot))
        return [a.div(ahead, a.add(root, eps)), mean, change, square]
      })
      return [scaled, { m, v, n, g: updates as Tree, t }]
    },
  }
}
