import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDtype } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import { inDtype } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'
import { stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'
import { type AdamOptions, checkAdam } from './scaleByAdam.js'

/** Adam's constants. */
export type AmsgradOptions = Omit<AdamOptions, 'nesterov'>

/** The names of `AmsgradOptions`. */
export const amsgradNames: OptionTable<AmsgradOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  muDtype: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/** As Adam's, and the largest corrected nu so far. */
export type AmsgradState = {
  readonly count: number
  readonly mu: Tree
  readonly nu: Tree
  readonly nuMax: Tree
}

/**
 * AMSGrad's rescaling: Adam whose denominator never shrinks. The maximum is of the bias-corrected nu, as in optax;
 * torch takes it before the correction.
 *
 * Special   a NaN stays in the maximum for good.
 * Source    On the convergence of Adam and beyond, arXiv:1904.09237
 */
export function scaleByAmsgrad(options: AmsgradOptions = {}): GradientTransformation<AmsgradState> {
  checkOptions('scaleByAmsgrad', options, amsgradNames)
  checkDtype('scaleByAmsgrad', 'muDtype', options.muDtype)
  const { b1 = 0.9, b2 = 0.999, eps = 1e-8, epsRoot = 0, muDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByAmsgrad', b1, b2, eps, epsRoot)
  const transform: GradientTransformation<AmsgradState> = {
    recordable: true,
    init: (params) => ({
      count: 0,
      mu: zerosLike(params, muDtype),
      nu: zerosLike(params),
      nuMax: zerosLike(params),
    }),
    update(updates, state) {
      const t = nextCount(state.count)
      const trees = [updates, state.mu, state.nu, state.nuMax] as const
      const [scaled, mu, nu, nuMax] = leafwise('scaleByAmsgrad', trees, ([g, m, v, most], count) => {
        const mean = updateMoment(a, b1, g!, m!)
        const square = updateSecondMoment(a, b2, g!, v!)
        const largest = a.maximum(most!, biasCorrection(a, b2, t, square, count))
        const root = a.sqrt(a.add(largest, epsRoot))
        return [
          a.div(biasCorrection(a, b1, t, mean, count), a.add(root, eps)),
          inDtype(mean, muDtype),
          inDtype(square, v!.dtype as FloatDType),
          inDtype(largest, most!.dtype as FloatDType),
        ]
      })
      return [scaled, { count: t, mu, nu, nuMax }]
    },
  }
  return withStateFormat('scaleByAmsgrad', transform, options.stateFormat)
}
