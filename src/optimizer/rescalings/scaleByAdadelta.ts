import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { updateSecondMoment } from '../arithmetic/moments.js'
import type { Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** The constants of Adadelta. */
export interface ScaleByAdadeltaOptions extends ArithmeticOption {
  /** Decay of both running means of squares. Default: 0.9. */
  readonly rho?: Scalar
  /** Added under both roots. Default: 1e-6. */
  readonly eps?: Scalar
}

/** The names of `ScaleByAdadeltaOptions`. */
export const scaleByAdadeltaNames: OptionTable<ScaleByAdadeltaOptions> = {
  rho: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/** The running means of squared gradients and of squared updates. */
export type AdadeltaState = { readonly eG: Tree; readonly eX: Tree }

/**
 * Adadelta's rescaling: eG' = (1 - rho) g^2 + rho eG, u = sqrt(eX + eps) / sqrt(eG' + eps) g, and eX' from u as eG' is
 * from g.
 *
 * Source    Adadelta, arXiv:1212.5701
 */
export function scaleByAdadelta(options: ScaleByAdadeltaOptions = {}): GradientTransformation<AdadeltaState> {
  checkOptions('scaleByAdadelta', options, scaleByAdadeltaNames)
  const { rho = 0.9, eps = 1e-6 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByAdadelta', 'rho', rho, 0, 1)
  checkScalar('scaleByAdadelta', 'eps', eps, 0)
  return {
    recordable: true,
    init: (params) => ({ eG: zerosLike(params), eX: zerosLike(params) }),
    update(updates, state) {
      const trees = [updates, state.eG, state.eX] as const
      const [scaled, eG, eX] = leafwise('scaleByAdadelta', trees, ([g, meanG, meanX]) => {
        const square = updateSecondMoment(a, rho, g!, meanG!)
        const u = a.mul(a.div(a.sqrt(a.add(meanX!, eps)), a.sqrt(a.add(square, eps))), g!)
        return [u, square, updateSecondMoment(a, rho, u, meanX!)]
      })
      return [scaled, { eG, eX }]
    },
  }
}
