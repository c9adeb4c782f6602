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
import { rateAt } from '../arithmetic/scheduled.js'
import { squaredNorm } from '../arithmetic/squaredNorm.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import type { LearningRate } from '../transforms/scaleByLearningRate.js'
import { modelStep } from './momoModel.js'
import { valueOf } from './valueOf.js'

/** What MoMo knows of the loss. */
export interface MomoOptions extends ArithmeticOption {
  /** The largest rate, or its schedule. Default: 1. */
  readonly learningRate?: LearningRate
  /** Decay of the means. Default: 0.9. */
  readonly beta?: number
  /** What the loss cannot be below. Default: 0. */
  readonly lowerBound?: number
  /** Default: 0. */
  readonly weightDecay?: number
  /** Whether the bound is estimated on the way, `lowerBound` or more. Default: false. */
  readonly adaptLowerBound?: boolean
}

const names: OptionTable<MomoOptions> = {
  learningRate: 'optional',
  beta: 'optional',
  lowerBound: 'optional',
  weightDecay: 'optional',
  adaptLowerBound: 'optional',
  ...arithmeticNames,
}

/** Means of the gradients, of the losses, of the gradients along the parameters; the bound; steps done. */
export type MomoState = {
  readonly expAvg: Tree
  readonly barf: Tensor
  readonly gamma: Tensor
  readonly lb: Tensor
  readonly count: number
}

/**
 * MoMo: descent with momentum whose rate is at most the one at which the mean of the losses, taken as linear, would reach its
 * lower bound. `update` needs `value`, the loss, in its extra arguments; `makeTrainStep` gives it.
 *
 * Dtype     means of losses and the bound in the narrowest dtype of the parameters, as in optax.
 * Source    MoMo: momentum models for adaptive learning rates, arXiv:2305.07583
 *
 * @example momo().init([tensor([1])]).count // 0
 */
export function momo(options: MomoOptions = {}): GradientTransformation<MomoState> {
  checkOptions('momo', options, names)
  const { learningRate = 1, beta = 0.9, lowerBound = 0, weightDecay = 0, adaptLowerBound = false } = options
  checkFlag('momo', 'adaptLowerBound', options.adaptLowerBound)
  checkDecay('momo', 'beta', beta)
  for (const [name, value] of Object.entries({ lowerBound, weightDecay })) checkScalar('momo', name, value)
  if (typeof learningRate !== 'function') checkScalar('momo', 'learningRate', learningRate)
  const a = arithmeticOf(options.arithmetic)
  return {
    init(params) {
      const dtype = lowest(params)
      const scalar = (value: number): Tensor => full([], a.weak(value, dtype), { dtype })
      return {
        expAvg: zerosLike(params),
        barf: scalar(0),
        gamma: scalar(0),
        lb: scalar(lowerBound),
        count: 0,
      }
    },
    update(updates, state, params, extra) {
      const at = needParams('momo', params)
      const value = valueOf('momo', extra, state.barf.dtype as FloatDType)
      // JAX chooses between 0 and beta in float32, and takes the rest from 1 there.
      const single = (x: number): number => (a.name === 'ieee' ? x : Math.fround(x))
      const kept = state.count === 0 ? 0 : single(beta)
      const fresh = single(1 - kept)
      const barf = a.add(a.mul(kept, state.barf), a.mul(fresh, value))
      const [expAvg] = leafwise('momo', [state.expAvg, updates], ([mean, g]) => [
        a.add(a.mul(kept, mean!), a.mul(fresh, g!)),
      ])
      const along = innerProduct(a, updates, at)
      const gamma = a.add(a.mul(kept, state.gamma), a.mul(fresh, along))
      const rate = rateAt(a, 'momo', learningRate, state.count, state.barf.dtype as FloatDType)
      const model = { barf, gamma, norm: squaredNorm(a, expAvg), along: innerProduct(a, expAvg, at) }
      const { tau, lb, shrink } = modelStep(a, model, {
        rate,
        weightDecay,
        lb: state.lb,
        lowerBound: adaptLowerBound ? lowerBound : undefined,
        correction: undefined,
      })
      const [moves] = leafwise('momo', [updates, expAvg, at], ([, mean, p]) => [
        a.sub(a.mul(shrink, p!), a.mul(tau, mean!)),
      ])
      return [moves, { expAvg, barf, gamma, lb, count: nextCount(state.count) }]
    },
  }
}
