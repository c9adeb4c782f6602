import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDecay, checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { innerProduct } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { lowest } from '../arithmetic/lowest.js'
import { powerBySquaring } from '../arithmetic/powerBySquaring.js'
import { rateAt } from '../arithmetic/scheduled.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import type { LearningRate } from '../transforms/scaleByLearningRate.js'
import { modelStep } from './momoModel.js'
import { valueOf } from './valueOf.js'

/** What MoMo-Adam knows of the loss. */
export interface MomoAdamOptions extends ArithmeticOption {
  /** The largest rate, or its schedule. Default: 0.01. */
  readonly learningRate?: LearningRate
  /** Decay of the means. Default: 0.9. */
  readonly b1?: number
  /** Decay of the mean of squares. Default: 0.999. */
  readonly b2?: number
  /** Added to the root. Default: 1e-8. */
  readonly eps?: number
  /** What the loss cannot be below. Default: 0. */
  readonly lowerBound?: number
  /** Default: 0. */
  readonly weightDecay?: number
  /** Whether the bound is estimated on the way, `lowerBound` or more. Default: false. */
  readonly adaptLowerBound?: boolean
}

const names: OptionTable<MomoAdamOptions> = {
  learningRate: 'optional',
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  lowerBound: 'optional',
  weightDecay: 'optional',
  adaptLowerBound: 'optional',
  ...arithmeticNames,
}

/** Means of the gradients, of their squares, of the losses, of the gradients along the parameters; the bound; steps done. */
export type MomoAdamState = {
  readonly expAvg: Tree
  readonly expAvgSq: Tree
  readonly barf: Tensor
  readonly gamma: Tensor
  readonly lb: Tensor
  readonly count: number
}

/**
 * MoMo over Adam's direction: AdamW whose rate is at most the one at which the mean of the losses, taken as linear, would reach
 * its lower bound. `update` needs `value`, the loss, in its extra arguments; `makeTrainStep` gives it.
 *
 * Dtype     means of losses and the bound in the narrowest dtype of the parameters, as in optax.
 * Source    MoMo: momentum models for adaptive learning rates, arXiv:2305.07583
 *
 * @example momoAdam().init([tensor([1])]).count // 0
 */
export function momoAdam(options: MomoAdamOptions = {}): GradientTransformation<MomoAdamState> {
  checkOptions('momoAdam', options, names)
  const { learningRate = 0.01, b1 = 0.9, b2 = 0.999, eps = 1e-8 } = options
  const { lowerBound = 0, weightDecay = 0, adaptLowerBound = false } = options
  checkFlag('momoAdam', 'adaptLowerBound', options.adaptLowerBound)
  checkDecay('momoAdam', 'b1', b1)
  checkDecay('momoAdam', 'b2', b2)
  checkScalar('momoAdam', 'eps', eps, 0)
  checkScalar('momoAdam', 'lowerBound', lowerBound)
  checkScalar('momoAdam', 'weightDecay', weightDecay)
  if (typeof learningRate !== 'function') checkScalar('momoAdam', 'learningRate', learningRate)
  const a = arithmeticOf(options.arithmetic)
  return {
    init(params) {
      const dtype = lowest(params)
      const scalar = (value: number): Tensor => full([], a.weak(value, dtype), { dtype })
      const moments = { expAvg: zerosLike(params), expAvgSq: zerosLike(params) }
      return { ...moments, barf: scalar(0), gamma: scalar(0), lb: scalar(lowerBound), count: 0 }
    },
    update(updates, state, params, extra) {
      const at = needParams('momoAdam', params)
      const t = nextCount(state.count)
      const dtype = state.barf.dtype as FloatDType
      const correctionOf = (decay: number): Tensor => {
        const power = a.name === 'ieee' ? decay ** t : powerBySquaring(Math.fround(decay), t)
        return full([], a.weak(1 - power, dtype), { dtype })
      }
      const value = valueOf('momoAdam', extra, dtype)
      const barf = a.add(a.mul(b1, state.barf), a.mul(1 - b1, value))
      const second = correctionOf(b2)
      const trees = [state.expAvg, updates, state.expAvgSq] as const
      const [expAvg, expAvgSq, precond, weighted] = leafwise('momoAdam', trees, ([mean, g, square]) => {
        const first = a.add(a.mul(b1, mean!), a.mul(1 - b1, g!))
        const squares = a.add(a.mul(b2, square!), a.mul(a.mul(1 - b2, g!), g!))
        const root = a.add(eps, a.sqrt(a.divScalar(squares, second)))
        return [first, squares, root, a.div(first, root)]
      })
      const gamma = a.add(a.mul(b1, state.gamma), a.mul(1 - b1, innerProduct(a, updates, at)))
      const model = {
        barf,
        gamma,
        norm: innerProduct(a, expAvg, weighted),
        along: innerProduct(a, expAvg, at),
      }
      const { tau, lb, shrink } = modelStep(a, model, {
        rate: rateAt(a, 'momoAdam', learningRate, state.count, dtype),
        weightDecay,
        lb: state.lb,
        lowerBound: adaptLowerBound ? lowerBound : undefined,
        correction: correctionOf(b1),
      })
      const [moves] = leafwise('momoAdam', [updates, expAvg, precond, at], ([, mean, root, p]) => [
        a.sub(a.mul(shrink, p!), a.div(a.mul(tau, mean!), root!)),
      ])
      return [moves, { expAvg, expAvgSq, barf, gamma, lb, count: t }]
    },
  }
}
