import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDecay, checkDtype, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment } from '../arithmetic/moments.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { checkTransformation } from '../checkTransformation.js'
import { type GradientTransformation, needParams, type State } from '../transformation.js'

/** The constants of Sophia. */
export interface ScaleBySophiaOptions extends ArithmeticOption {
  /** What gives the diagonal of the Hessian, as `hutchinsonEstimatorDiagHessian({ key })`: a transformation of gradients. */
  readonly hessianDiagonalFn: GradientTransformation
  /** Decay of the mean of gradients. Default: 0.965. */
  readonly b1?: Scalar
  /** Decay of the mean of Hessian diagonals. Default: 0.99. */
  readonly b2?: Scalar
  /** The smallest denominator. Default: 1e-8. */
  readonly eps?: number
  /** What the diagonal is multiplied by. Default: 0.01. */
  readonly gamma?: number
  /** The largest magnitude of an update; undefined for none. Default: 1. */
  readonly clipThreshold?: number | undefined
  /** Steps from one estimate of the diagonal to the next. Default: 10. */
  readonly updateInterval?: number
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
}

/** The names of `ScaleBySophiaOptions`. */
export const scaleBySophiaNames: OptionTable<ScaleBySophiaOptions> = {
  hessianDiagonalFn: 'required',
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  gamma: 'optional',
  clipThreshold: 'optional',
  updateInterval: 'optional',
  muDtype: 'optional',
  ...arithmeticNames,
}

/** Steps done, the means of gradients and of diagonals, and the state of what estimates these. */
export type SophiaState = {
  readonly count: number
  readonly mu: Tree
  readonly nu: Tree
  readonly hessianFnState: State
}

/**
 * Sophia's rescaling: u = (mu' / (1 - b1^t)) / max(gamma nu, eps), clipped; nu is the mean of the Hessian's diagonals, a new one
 * every `updateInterval` steps, after the update of its own step.
 *
 * Source    Sophia, arXiv:2305.14342
 */
export function scaleBySophia(options: ScaleBySophiaOptions): GradientTransformation<SophiaState> {
  checkOptions('scaleBySophia', options, scaleBySophiaNames)
  checkDtype('scaleBySophia', 'muDtype', options.muDtype)
  const { hessianDiagonalFn, b1 = 0.965, b2 = 0.99, eps = 1e-8, gamma = 0.01, muDtype } = options
  const { updateInterval = 10 } = options
  const limit = 'clipThreshold' in options ? options.clipThreshold : 1
  checkTransformation('scaleBySophia', 'hessianDiagonalFn', hessianDiagonalFn)
  checkDecay('scaleBySophia', 'b1', b1)
  checkScalar('scaleBySophia', 'b2', b2, 0, 1)
  checkScalar('scaleBySophia', 'eps', eps, 0)
  checkScalar('scaleBySophia', 'gamma', gamma, 0)
  if (limit !== undefined) checkScalar('scaleBySophia', 'clipThreshold', limit, 0)
  checkInteger('scaleBySophia', 'updateInterval', updateInterval, 1)
  const a = arithmeticOf(options.arithmetic)
  return {
    init: (params) => ({
      count: 0,
      mu: zerosLike(params, muDtype),
      nu: zerosLike(params),
      hessianFnState: hessianDiagonalFn.init(params),
    }),
    update(updates, state, params, extra) {
      needParams('scaleBySophia', params)
      const t = nextCount(state.count)
      const trees = [updates, state.mu, state.nu] as const
      const [scaled, mu] = leafwise('scaleBySophia', trees, ([g, m, h], leaves) => {
        const mean = updateMoment(a, b1, g!, m!)
        const hat = biasCorrection(a, b1, t, mean, leaves)
        const step = a.div(hat, a.maximum(a.mul(gamma, h!), eps))
        const clipped = limit === undefined ? step : a.minimum(a.maximum(step, -limit), limit)
        return [clipped, inDtype(mean, muDtype)]
      })
      if (state.count % updateInterval !== 0) return [scaled, { ...state, count: t, mu }]
      const [diagonal, hessianFnState] = hessianDiagonalFn.update(
        updates,
        state.hessianFnState,
        params,
        extra,
      )
      const [nu] = leafwise('scaleBySophia', [state.nu, diagonal], ([h, d]) => [updateMoment(a, b2, d!, h!)])
      return [scaled, { count: t, mu, nu, hessianFnState }]
    },
  }
}
