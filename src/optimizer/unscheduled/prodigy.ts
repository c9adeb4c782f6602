import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { abs, type FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { stateTree } from '../arithmetic/fullLike.js'
import { innerProduct, treeSum } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { updateMoment } from '../arithmetic/moments.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { constantOf, rateAt } from '../arithmetic/scheduled.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import type { LearningRate } from '../transforms/scaleByLearningRate.js'
import { correctionAt } from './correctionAt.js'
import { type DadaptAdamwState, decaysOf, distanceMoments } from './distanceMoments.js'

/** The constants of Prodigy. */
export interface ProdigyOptions extends ArithmeticOption {
  /** A factor of the rate that is found, or its schedule. Default: 1. */
  readonly learningRate?: LearningRate
  /** Decays of the mean of gradients and of their squares. Default: [0.9, 0.999]. */
  readonly betas?: readonly [beta1: number, beta2: number]
  /** Decay of the sums that the rate is found from. Default: the root of beta2. */
  readonly beta3?: number
  /** Added to the root, times the rate found. Default: 1e-8. */
  readonly eps?: number
  /** The rate to begin with. Default: 1e-6. */
  readonly estimLr0?: number
  /** A factor of the rate found. Default: 1. */
  readonly estimLrCoef?: number
  /** Default: 0. */
  readonly weightDecay?: number
  /** Whether the bias correction stays out of the denominator: for warm-ups. Default: false. */
  readonly safeguardWarmup?: boolean
}

/** The names of `ProdigyOptions`. */
export const prodigyNames: OptionTable<ProdigyOptions> = {
  learningRate: 'optional',
  betas: 'optional',
  beta3: 'optional',
  eps: 'optional',
  estimLr0: 'optional',
  estimLrCoef: 'optional',
  weightDecay: 'optional',
  safeguardWarmup: 'optional',
  ...arithmeticNames,
}

/** The moments and the weighted sum of gradients, where it began, the rate found and its numerator, steps done. */
export type ProdigyState = DadaptAdamwState & { readonly params0: Tree }

/**
 * Prodigy: Adam whose rate is found on the way, from how far the parameters have come along the gradients.
 *
 * Dtype     the rate and its numerator in the narrowest dtype of the parameters, as in optax.
 * Rounding  the inner product that the rate is found from leaf by leaf: in float64 and once to the dtype, in 'xla-cpu' by fused
 *           multiply-adds in float32.
 * Source    Prodigy: an expeditiously adaptive parameter-free learner, arXiv:2306.06101
 *
 * @example prodigy().init([tensor([1])]).count // 0
 */
export function prodigy(options: ProdigyOptions = {}): GradientTransformation<ProdigyState> {
  checkOptions('prodigy', options, prodigyNames)
  checkFlag('prodigy', 'safeguardWarmup', options.safeguardWarmup)
  const { learningRate = 1, betas = [0.9, 0.999], eps = 1e-8, estimLr0 = 1e-6, estimLrCoef = 1 } = options
  const { weightDecay = 0, safeguardWarmup = false } = options
  const [beta1, beta2] = decaysOf('prodigy', betas)
  const { beta3 = beta2 ** 0.5 } = options
  const a = arithmeticOf(options.arithmetic)
  for (const [name, value] of Object.entries({ beta3, eps, estimLr0 })) checkScalar('prodigy', name, value, 0)
  checkScalar('prodigy', 'estimLrCoef', estimLrCoef)
  checkScalar('prodigy', 'weightDecay', weightDecay)
  if (typeof learningRate !== 'function') checkScalar('prodigy', 'learningRate', learningRate)
  return {
    recordable: true,
    init: (params) => ({
      ...distanceMoments(a, params, estimLr0),
      params0: stateTree(params, (p) => p),
    }),
    update(updates, state, params) {
      const weights = needParams('prodigy', params)
      const t = nextCount(state.count)
      const { estimLr } = state
      const rate = rateAt(a, 'prodigy', learningRate, state.count, estimLr.dtype as FloatDType)
      const rated = a.mul(estimLr, rate)
      const correction: Scalar = correctionAt(a, beta1, beta2, t)
      const step = inDtype(
        a.mul(rated, constantOf(a, correction, rated.dtype as FloatDType)),
        estimLr.dtype as FloatDType,
      )
      const along = innerProduct(
        a,
        updates,
        leafwise('prodigy', [state.params0, weights], ([p0, p]) => [a.sub(p0!, p!)])[0],
      )
      const trees = [state.expAvg, state.expAvgSq, state.gradSum, updates] as const
      const [expAvg, expAvgSq, gradSum] = leafwise('prodigy', trees, ([mean, square, total, g]) => {
        const scaled = a.mul(estimLr, g!)
        const squared = a.mul(a.mul(1 - beta2, scaled), scaled)
        const weighted = a.divScalar(a.mul(safeguardWarmup ? estimLr : step, scaled), estimLr0)
        return [
          updateMoment(a, beta1, scaled, mean!),
          a.add(a.mul(beta2, square!), squared),
          a.add(a.mul(beta3, total!), weighted),
        ]
      })
      const share = a.mul(a.mul(a.div(estimLr, estimLr0), step), along)
      const numeratorWeighted = a.add(a.mul(beta3, state.numeratorWeighted), share)
      const size = treeSum(a, gradSum, (x) => abs(x))
      const found = a.maximum(estimLr, a.div(a.mul(estimLrCoef, numeratorWeighted), size))
      const [moves] = leafwise('prodigy', [updates, expAvg, expAvgSq, weights], ([, mean, square, p]) => {
        const decay = a.mul(a.mul(-weightDecay, step), p!)
        const root = a.add(a.sqrt(square!), a.mul(found, eps))
        return [a.sub(decay, a.div(a.mul(step, mean!), root))]
      })
      const next = { expAvg, expAvgSq, gradSum, params0: state.params0, numeratorWeighted }
      return [moves, { ...next, estimLr: found, count: t }]
    },
  }
}
