import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { abs, type FloatDType } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { innerProduct, treeSum } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { constantOf, rateAt } from '../arithmetic/scheduled.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import type { LearningRate } from '../transforms/scaleByLearningRate.js'
import { correctionAt } from './correctionAt.js'
import { type DadaptAdamwState, decaysOf, distanceMoments } from './distanceMoments.js'

/** The constants of D-Adaptation. */
export interface DadaptAdamwOptions extends ArithmeticOption {
  /** A factor of the rate that is found, or its schedule. Default: 1. */
  readonly learningRate?: LearningRate
  /** Decays of the mean of gradients and of their squares. Default: [0.9, 0.999]. */
  readonly betas?: readonly [beta1: number, beta2: number]
  /** Added to the root. Default: 1e-8. */
  readonly eps?: number
  /** The rate to begin with. Default: 1e-6. */
  readonly estimLr0?: number
  /** Default: 0. */
  readonly weightDecay?: number
}

const names: OptionTable<DadaptAdamwOptions> = {
  learningRate: 'optional',
  betas: 'optional',
  eps: 'optional',
  estimLr0: 'optional',
  weightDecay: 'optional',
  ...arithmeticNames,
}

/**
 * AdamW whose rate is found on the way by D-Adaptation, of which `prodigy` is the faster kin.
 *
 * Dtype     the rate and its numerator in the narrowest dtype of the parameters, as in optax.
 * Rounding  the inner product that the rate is found from as that of `prodigy`; every operation around it to the dtype.
 * Source    Learning-rate-free learning by D-Adaptation, arXiv:2301.07733
 *
 * @example dadaptAdamw().init([tensor([1])]).count // 0
 */
export function dadaptAdamw(options: DadaptAdamwOptions = {}): GradientTransformation<DadaptAdamwState> {
  checkOptions('dadaptAdamw', options, names)
  const { learningRate = 1, betas = [0.9, 0.999], eps = 1e-8, estimLr0 = 1e-6, weightDecay = 0 } = options
  const [beta1, beta2] = decaysOf('dadaptAdamw', betas)
  for (const [name, value] of Object.entries({ eps, estimLr0 })) checkScalar('dadaptAdamw', name, value, 0)
  checkScalar('dadaptAdamw', 'weightDecay', weightDecay)
  if (typeof learningRate !== 'function') checkScalar('dadaptAdamw', 'learningRate', learningRate)
  const a = arithmeticOf(options.arithmetic)
  const root2 = beta2 ** 0.5
  return {
    recordable: true,
    init: (params) => distanceMoments(a, params, estimLr0),
    update(updates, state, params) {
      const weights = needParams('dadaptAdamw', params)
      const t = nextCount(state.count)
      const { estimLr } = state
      const rate = rateAt(a, 'dadaptAdamw', learningRate, state.count, estimLr.dtype as FloatDType)
      const rated = a.mul(estimLr, rate)
      const correction: Scalar = correctionAt(a, beta1, beta2, t)
      const dtype = state.numeratorWeighted.dtype as FloatDType
      const step = inDtype(a.mul(rated, constantOf(a, correction, rated.dtype as FloatDType)), dtype)
      const [weighted] = leafwise('dadaptAdamw', [state.gradSum, state.expAvgSq], ([total, square]) => [
        a.div(total!, a.add(a.sqrt(square!), eps)),
      ])
      const along = innerProduct(a, updates, weighted)
      const trees = [state.expAvg, state.expAvgSq, state.gradSum, updates] as const
      const [expAvg, expAvgSq, gradSum] = leafwise('dadaptAdamw', trees, ([mean, square, total, g]) => [
        a.add(a.mul(beta1, mean!), a.mul(a.mul(1 - beta1, step), g!)),
        a.add(a.mul(beta2, square!), a.mul(a.mul(1 - beta2, g!), g!)),
        a.add(a.mul(root2, total!), a.mul(a.mul(1 - root2, step), g!)),
      ])
      const share = a.mul(a.mul(1 - root2, step), along)
      const numeratorWeighted = a.add(a.mul(root2, state.numeratorWeighted), share)
      const size = a.mul(
        1 - root2,
        treeSum(a, gradSum, (x) => abs(x)),
      )
      const found = a.maximum(estimLr, a.div(numeratorWeighted, size))
      const [moves] = leafwise('dadaptAdamw', [updates, expAvg, expAvgSq, weights], ([, mean, square, p]) => {
        const decay = a.mul(a.mul(-weightDecay, step), p!)
        return [a.sub(decay, a.div(mean!, a.add(a.sqrt(square!), eps)))]
      })
      return [moves, { expAvg, expAvgSq, gradSum, estimLr: found, numeratorWeighted, count: t }]
    },
  }
}
