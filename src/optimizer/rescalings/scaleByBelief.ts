import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import type { GradientTransformation } from '../transformation.js'
import { stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'
import { type AdamOptions, type AdamState, checkAdam } from './scaleByAdam.js'

/** Adam's constants; eps and epsRoot are 1e-16 by default. */
export type BeliefOptions = Omit<AdamOptions, 'nesterov' | 'muDtype'>

/** The names of `BeliefOptions`. */
export const beliefNames: OptionTable<BeliefOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/**
 * AdaBelief's rescaling: Adam with the mean square of g - mu' in the place of that of g:
 *   nu' = ((1 - b2) (g - mu')^2 + b2 nu) + epsRoot, kept so: epsRoot enters the state at every step.
 *
 * Source    AdaBelief optimizer, arXiv:2010.07468
 */
export function scaleByBelief(options: BeliefOptions = {}): GradientTransformation<AdamState> {
  checkOptions('scaleByBelief', options, beliefNames)
  const { b1 = 0.9, b2 = 0.999, eps = 1e-16, epsRoot = 1e-16 } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByBelief', b1, b2, eps, epsRoot)
  const transform: GradientTransformation<AdamState> = {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params), nu: zerosLike(params) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const [scaled, mu, nu] = leafwise(
        'scaleByBelief',
        [updates, state.mu, state.nu],
        ([g, m, v], count) => {
          const mean = updateMoment(a, b1, g!, m!)
          const spread = a.add(updateSecondMoment(a, b2, a.sub(g!, mean), v!), epsRoot)
          const root = a.sqrt(biasCorrection(a, b2, t, spread, count))
          return [a.div(biasCorrection(a, b1, t, mean, count), a.add(root, eps)), mean, spread]
        },
      )
      return [scaled, { count: t, mu, nu }]
    },
  }
  return withStateFormat('scaleByBelief', transform, options.stateFormat)
}
