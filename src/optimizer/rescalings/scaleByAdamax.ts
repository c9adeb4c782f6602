import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment } from '../arithmetic/moments.js'
import type { GradientTransformation } from '../transformation.js'
import { type AdamOptions, type AdamState, checkAdam } from './scaleByAdam.js'

/** Adam's constants as far as Adamax has them. */
export type AdamaxOptions = Pick<AdamOptions, 'b1' | 'b2' | 'eps' | 'arithmetic'>

/** The names of `AdamaxOptions`. */
export const adamaxNames: OptionTable<AdamaxOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/**
 * Adamax's rescaling, Adam by the infinity norm: nu' = max(|g| + eps, b2 nu), u = (mu' / (1 - b1^t)) / nu'.
 *
 * Special   eps is inside of the maximum; nu needs no bias correction. NaN stays in mu and nu for good.
 * Source    Adam, arXiv:1412.6980, section 7.1
 */
export function scaleByAdamax(options: AdamaxOptions = {}): GradientTransformation<AdamState> {
  checkOptions('scaleByAdamax', options, adamaxNames)
  const { b1 = 0.9, b2 = 0.999, eps = 1e-8 } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByAdamax', b1, 0, eps, 0)
  checkScalar('scaleByAdamax', 'b2', b2, 0, 1)
  return {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params), nu: zerosLike(params) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const trees = [updates, state.mu, state.nu] as const
      const [scaled, mu, nu] = leafwise('scaleByAdamax', trees, ([g, m, v], count) => {
        const mean = updateMoment(a, b1, g!, m!)
        const largest = a.maximum(a.add(a.abs(g!), eps), a.mul(b2, v!))
        return [a.div(biasCorrection(a, b1, t, mean, count), largest), mean, largest]
      })
      return [scaled, { count: t, mu, nu }]
    },
  }
}
