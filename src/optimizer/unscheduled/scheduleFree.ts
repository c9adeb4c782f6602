import { checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  cast,
  equal,
  type FloatDType,
  full,
  logicalAnd,
  type Tensor,
  where,
} from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkDtype, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { stateTree } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { lowest } from '../arithmetic/lowest.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { constantOf, scheduled } from '../arithmetic/scheduled.js'
import { checkTransformation } from '../checkTransformation.js'
import { type GradientTransformation, needParams, type State } from '../transformation.js'
import type { LearningRate } from '../transforms/scaleByLearningRate.js'

/** How points are averaged. */
export interface ScheduleFreeOptions extends ArithmeticOption {
  /** The rate of the inner optimizer, for the weights of the average. */
  readonly learningRate: LearningRate
  /** How far gradients are taken from the average instead of from the inner optimizer's point. Default: 0.9. */
  readonly b1?: number
  /** A point's weight is the largest rate so far to this power. Default: 2. */
  readonly weightLrPower?: number
  /** The dtype in which the inner optimizer's point is kept. Default: that of the parameters. */
  readonly stateDtype?: FloatDType
}

/** The names of `ScheduleFreeOptions`. */
export const scheduleFreeNames: OptionTable<ScheduleFreeOptions> = {
  learningRate: 'required',
  b1: 'optional',
  weightLrPower: 'optional',
  stateDtype: 'optional',
  ...arithmeticNames,
}

/** The inner optimizer's point z and state, the sum of the weights, the largest rate so far, and steps counted from 1. */
export type ScheduleFreeState = {
  readonly b1: Tensor
  readonly weightSum: Tensor
  readonly stepCount: number
  readonly maxLr: Tensor
  readonly baseOptimizerState: State
  readonly z: Tree
}

/**
 * Schedule-free learning: the inner optimizer moves z, x is the weighted mean of all z, and the parameters, where gradients
 * are taken, are y = b1 x + (1 - b1) z. Evaluate with x, which `scheduleFreeEvalParams` gives.
 *
 * Rounding  x is not kept: each step takes it back out of y and z, (y - (1 - b1) z) / b1, every operation rounded.
 * Dtype     weights and rates in the narrowest dtype of the parameters, as in optax: in bfloat16 the sum of the weights stalls
 *           after some 256 steps; give float32 parameters, or `lowprecision.storedParams`.
 * Source    The road less scheduled, arXiv:2405.15682
 *
 * @example scheduleFree(sgd({ learningRate: 1 }), { learningRate: 1 }).init([tensor([1])]).stepCount // 1
 */
export function scheduleFree(
  baseOptimizer: GradientTransformation,
  options: ScheduleFreeOptions,
): GradientTransformation<ScheduleFreeState> {
  checkTransformation('scheduleFree', 'the base optimizer', baseOptimizer)
  checkOptions('scheduleFree', options, scheduleFreeNames)
  checkDtype('scheduleFree', 'stateDtype', options.stateDtype)
  const { learningRate, b1 = 0.9, weightLrPower = 2, stateDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scheduleFree', 'b1', b1, 0, 1)
  if (b1 === 0) throw new RangeError('scheduleFree: b1 is not above 0 [0]')
  checkScalar('scheduleFree', 'weightLrPower', weightLrPower)
  if (typeof learningRate !== 'function') checkScalar('scheduleFree', 'learningRate', learningRate)
  return {
    recordable: baseOptimizer.recordable === true,
    init(params) {
      const dtype = lowest(params)
      return {
        b1: full([], b1, { dtype }),
        weightSum: full([], 0, { dtype }),
        stepCount: 1,
        maxLr: full([], 0, { dtype }),
        baseOptimizerState: baseOptimizer.init(params),
        z: stateTree(params, (p) => cast(p, stateDtype ?? p.dtype)),
      }
    },
    update(grads, state, params, extra) {
      const y = needParams('scheduleFree', params)
      const rate: Scalar =
        typeof learningRate === 'function'
          ? scheduled('scheduleFree', learningRate, state.stepCount)
          : learningRate
      const maxLr = a.maximum(state.maxLr, constantOf(a, rate, state.maxLr.dtype as FloatDType))
      const weight = a.pow(maxLr, weightLrPower)
      const weightSum = a.add(state.weightSum, weight)
      const share = shareOf(a, weight, weightSum)
      const [moves, baseOptimizerState] = baseOptimizer.update(grads, state.baseOptimizerState, params, extra)
      const [updates, z] = leafwise('scheduleFree', [y as typeof grads, moves, state.z], ([p, u, old]) => {
        const next = inDtype(a.add(old!, u!), old!.dtype as FloatDType)
        const before = averaged(a, b1, p!, old!)
        const x = a.add(a.mul(a.oneMinus(share), before), a.mul(share, next))
        const point = a.add(a.mul(b1, x), a.mul(1 - b1, next))
        return [a.sub(point, p!), next]
      })
      return [
        updates,
        { b1: state.b1, weightSum, stepCount: nextCount(state.stepCount), maxLr, baseOptimizerState, z },
      ]
    },
  }
}

/** The averaged parameters x of a schedule-free optimizer: those to evaluate and to keep. */
export function scheduleFreeEvalParams<P extends Treelike>(
  state: ScheduleFreeState,
  params: P,
  options: ArithmeticOption = {},
): P {
  checkOptions('scheduleFreeEvalParams', options, arithmeticNames)
  if (state?.b1 === undefined || state.z === undefined) {
    throw new TypeError(
      `scheduleFreeEvalParams: the state is not that of scheduleFree [${Object.keys(Object(state)).join(', ')}]`,
    )
  }
  const a = arithmeticOf(options.arithmetic)
  return leafwise('scheduleFreeEvalParams', [params, state.z], ([y, z]) => [averaged(a, state.b1, y!, z!)])[0]
}

/** (y - (1 - b1) z) / b1. */
function averaged(a: Elementwise, b1: Scalar, y: Tensor, z: Tensor): Tensor {
  return a.divScalar(a.sub(y, a.mul(a.oneMinus(b1), z)), b1)
}

/** weight / sum, 0 where both are 0. */
function shareOf(a: Elementwise, weight: Tensor, sum: Tensor): Tensor {
  return where(logicalAnd(equal(weight, 0), equal(sum, 0)), a.mul(0, weight), a.div(weight, sum))
}
