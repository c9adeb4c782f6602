import type { AdamOptimizerOptions } from './adamw.js'
import { arithmeticOf } from './arithmetic.js'
import { chain } from './chain.js'
import { checkNumber } from './checkOptions.js'
import { tensorOf } from './lane.js'
import { leafwise } from './leafwise.js'
import { biasCorrection, updateMoment } from './moments.js'
import { fullLike } from './rmsprop.js'
import { type AdamOptions, type AdamState, checkAdam } from './scaleByAdam.js'
import { scaleByLearningRate } from './scaleByLearningRate.js'
import { type GradientTransformation, nextCount, type State } from './transformation.js'

/** Adam's constants; eps is 1e-3 by default. */
export interface YogiOptions extends Omit<AdamOptions, 'nesterov' | 'muDtype'> {
  /** What both moments start at, so that the first mean is biased. Default: 1e-6. */
  readonly initialAccumulatorValue?: number
}

/**
 * Yogi's rescaling: Adam whose nu moves by a step of g^2 towards it: nu' = nu - ((1 - b2) sign(nu - g^2)) g^2.
 *
 * Source    Adaptive methods for nonconvex optimization, NeurIPS 2018
 */
export function scaleByYogi(options: YogiOptions = {}): GradientTransformation<AdamState> {
  const { b1 = 0.9, b2 = 0.999, eps = 1e-3, epsRoot = 0, initialAccumulatorValue = 1e-6 } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByYogi', b1, b2, eps, epsRoot)
  checkNumber('scaleByYogi', 'initialAccumulatorValue', initialAccumulatorValue, 0)
  return {
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
        return [
          tensorOf(a.div(biasCorrection(a, b1, t, mean, count), a.add(root, eps))),
          tensorOf(mean),
          tensorOf(spread),
        ]
      })
      return [scaled, { count: t, mu, nu }]
    },
  }
}

/**
 * Yogi: `chain(scaleByYogi, scaleByLearningRate)`.
 *
 * @example yogi({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function yogi(
  options: YogiOptions & Pick<AdamOptimizerOptions, 'learningRate'>,
): GradientTransformation<readonly State[]> {
  return chain(scaleByYogi(options), scaleByLearningRate(options.learningRate, options))
}
