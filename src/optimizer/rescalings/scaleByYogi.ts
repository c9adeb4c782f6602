import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { fullLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment } from '../arithmetic/moments.js'
import type { GradientTransformation } from '../transformation.js'
import { stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'
import { type AdamOptions, type AdamState, checkAdam } from './scaleByAdam.js'

/** Adam's constants; eps is 1e-3 by default. */
export interface YogiOptions extends Omit<AdamOptions, 'nesterov' | 'muDtype'> {
  /** What both moments start at, so that the first mean is biased. Default: 1e-6. */
  readonly initialAccumulatorValue?: number
}

/** The names of `YogiOptions`. */
export const yogiNames: OptionTable<YogiOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  initialAccumulatorValue: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/**
 * Yogi's rescaling: Adam whose nu moves by a step of g^2 towards it: nu' = nu - ((1 - b2) sign(nu - g^2)) g^2.
 *
 * Source    Adaptive methods for nonconvex optimization, NeurIPS 2018
 */
export function scaleByYogi(options: YogiOptions = {}): GradientTransformation<AdamState> {
  checkOptions('scaleByYogi', options, yogiNames)
  const { b1 = 0.9, b2 = 0.999, eps = 1e-3, epsRoot = 0, initialAccumulatorValue = 1e-6 } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByYogi', b1, b2, eps, epsRoot)
  checkScalar('scaleByYogi', 'initialAccumulatorValue', initialAccumulatorValue, 0)
  const transform: GradientTransformation<AdamState> = {
    recordable: true,
    init: (params) => ({
      count: 0,
      mu: fullLike(params, initialAccumulatorValue),
      nu: fullLike(params, initialAccumulatorValue),
    }),
    update(updates, state) {
      const t = nextCount(state.count)
      const [scaled, mu, nu] = leafwise('scaleByYogi', [updates, state.mu, state.nu], ([g, m, v], count) => {
        const mean = updateMoment(a, b1, g!, m!)
        const square = a.mul(g!, g!)
        const step = a.mul(a.mul(a.oneMinus(b2), a.sign(a.sub(v!, square))), square)
        const spread = a.sub(v!, step)
        const root = a.sqrt(a.add(biasCorrection(a, b2, t, spread, count), epsRoot))
        return [a.div(biasCorrection(a, b1, t, mean, count), a.add(root, eps)), mean, spread]
      })
      return [scaled, { count: t, mu, nu }]
    },
  }
  return withStateFormat('scaleByYogi', transform, options.stateFormat)
}
