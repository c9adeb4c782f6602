import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, type Tensor, zeros } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDtype, checkScalar } from '../arithmetic/checkScalar.js'
import { choose, isAt } from '../arithmetic/choose.js'
import { nextCount } from '../arithmetic/count.js'
import { stateTree, zerosLike } from '../arithmetic/fullLike.js'
import { leafNorm } from '../arithmetic/leafNorm.js'
import { zipLeaves } from '../arithmetic/leafwise.js'
import { updateMoment } from '../arithmetic/moments.js'
import { inDtype, type Operand, type Scalar } from '../arithmetic/operand.js'
import { type GradientTransformation, needParams } from '../transformation.js'

/** The constants of NovoGrad. */
export interface ScaleByNovogradOptions extends ArithmeticOption {
  /** Decay of the momentum. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the mean of squared norms. Default: 0.25. */
  readonly b2?: Scalar
  /** Added to the root. Default: 1e-8. */
  readonly eps?: Scalar
  /** Added under the root. Default: 0. */
  readonly epsRoot?: Scalar
  /** Default: 0. */
  readonly weightDecay?: Scalar
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
}

/** The names of `ScaleByNovogradOptions`. */
export const scaleByNovogradNames: OptionTable<ScaleByNovogradOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  weightDecay: 'optional',
  muDtype: 'optional',
  ...arithmeticNames,
}

/** Steps done, the momentum, and of each leaf the mean of squared norms, a scalar. */
export type NovogradState = { readonly count: number; readonly mu: Tree; readonly nu: Tree }

/**
 * NovoGrad: gradients divided by the norm of their leaf, averaged over steps, and then summed with momentum:
 * nu' = (1 - b2) |g|^2 + b2 nu (|g|^2 at the first step), mu' = b1 mu + g / (sqrt(nu' + epsRoot) + eps) + weightDecay p.
 *
 * Source    Stochastic gradient methods with layer-wise adaptive moments, arXiv:1905.11286
 */
export function scaleByNovograd(options: ScaleByNovogradOptions = {}): GradientTransformation<NovogradState> {
  checkOptions('scaleByNovograd', options, scaleByNovogradNames)
  checkDtype('scaleByNovograd', 'muDtype', options.muDtype)
  const { b1 = 0.9, b2 = 0.25, eps = 1e-8, epsRoot = 0, weightDecay = 0, muDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByNovograd', 'b1', b1, 0, 1)
  checkScalar('scaleByNovograd', 'b2', b2, 0, 1)
  checkScalar('scaleByNovograd', 'eps', eps, 0)
  checkScalar('scaleByNovograd', 'epsRoot', epsRoot, 0)
  checkScalar('scaleByNovograd', 'weightDecay', weightDecay)
  return {
    recordable: true,
    init: (params) => ({
      count: 0,
      mu: zerosLike(params, muDtype),
      nu: stateTree(params, (p) => zeros([], { dtype: p.dtype })),
    }),
    update(updates, state, params) {
      const first = isAt(state.count, 0)
      const trees = [updates, needParams('scaleByNovograd', params), state.mu, state.nu] as const
      const [direction, mu, nu] = zipLeaves('scaleByNovograd', trees, ([g, p, m, v]) => {
        const norm = leafNorm(a, g!)
        const square = a.mul(norm, norm)
        const step = (spread: Tensor, momentum: Operand | undefined): readonly [Tensor, Tensor] => {
          const scaled = a.divScalar(g!, a.add(a.sqrt(a.add(spread, epsRoot)), eps))
          const decayed = a.add(scaled, a.mul(weightDecay, p!))
          const next = momentum === undefined ? decayed : a.add(momentum, decayed)
          return [inDtype(next, muDtype), inDtype(spread, v!.dtype as FloatDType)]
        }
        const [next, spread] = choose(
          first,
          () => step(square, undefined),
          () => step(updateMoment(a, b2, square, v!), a.mul(b1, m!)),
        )
        return [next, next, spread]
      })
      return [direction, { count: nextCount(state.count), mu, nu }]
    },
  }
}
