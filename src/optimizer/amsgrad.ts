import type { FloatDType } from '../tensor/index.js'
import type { Tree } from '../tree/index.js'
import type { AdamOptimizerOptions } from './adamw.js'
import { arithmeticOf } from './arithmetic.js'
import { chain } from './chain.js'
import { tensorOf } from './lane.js'
import { leafwise, zerosLike } from './leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from './moments.js'
import { type AdamOptions, checkAdam } from './scaleByAdam.js'
import { scaleByLearningRate } from './scaleByLearningRate.js'
import { type GradientTransformation, nextCount, type State } from './transformation.js'

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
export function scaleByAmsgrad(
  options: Omit<AdamOptions, 'nesterov'> = {},
): GradientTransformation<AmsgradState> {
  const { b1 = 0.9, b2 = 0.999, eps = 1e-8, epsRoot = 0, muDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByAmsgrad', b1, b2, eps, epsRoot)
  return {
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
          tensorOf(a.div(biasCorrection(a, b1, t, mean, count), a.add(root, eps))),
          tensorOf(mean, muDtype),
          tensorOf(square, v!.dtype as FloatDType),
          tensorOf(largest, most!.dtype as FloatDType),
        ]
      })
      return [scaled, { count: t, mu, nu, nuMax }]
    },
  }
}

/**
 * AMSGrad: `chain(scaleByAmsgrad, scaleByLearningRate)`.
 *
 * @example amsgrad({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function amsgrad(
  options: Omit<AdamOptimizerOptions, 'nesterov'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByAmsgrad(options), scaleByLearningRate(options.learningRate, options))
}
