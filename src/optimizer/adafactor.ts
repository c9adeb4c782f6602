import type { FloatDType, Tensor } from '../tensor/index.js'
import { addDecayedWeights } from './addDecayedWeights.js'
import { type ArithmeticOption, arithmeticOf, type LaneArithmetic } from './arithmetic.js'
import { chain } from './chain.js'
import { checkNumber } from './checkOptions.js'
import { ema } from './ema.js'
import { type Lane, laneOf, type Scalar, tensorOf } from './lane.js'
import { leafMean } from './leafMean.js'
import { leafwise } from './leafwise.js'
import type { Mask } from './mask.js'
import { scale } from './scale.js'
import { type FactoredRmsOptions, scaleByFactoredRms } from './scaleByFactoredRms.js'
import { type LearningRate, scaleByLearningRate } from './scaleByLearningRate.js'
import {
  type EmptyState,
  type GradientTransformation,
  needParams,
  type State,
  stateless,
} from './transformation.js'

/** Adafactor with everything around its rescaling. */
export interface AdafactorOptions extends Omit<FactoredRmsOptions, 'stepOffset' | 'epsilon'> {
  /** Default: none, the parameters' own scale. */
  readonly learningRate?: LearningRate
  /** Default: 0. */
  readonly decayOffset?: number
  /** Whether updates are multiplied by the root mean square of each leaf, at least 1e-3. Default: true. */
  readonly multiplyByParameterScale?: boolean
  /** The largest root mean square of an update; undefined for none. Default: 1. */
  readonly clippingThreshold?: Scalar | undefined
  /** Default: none. */
  readonly momentum?: Scalar
  /** Default: 'float32'. */
  readonly dtypeMomentum?: FloatDType
  /** Default: none. */
  readonly weightDecayRate?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly weightDecayMask?: Mask
  /** Added to squares. Default: 1e-30. */
  readonly eps?: number
}

/**
 * Each leaf divided by max(1, rms / threshold).
 *
 * @example tree.leavesOf(clipByBlockRms(1).update([tensor([2, 2])], {})[0])[0].toNested() // [1, 1]
 */
export function clipByBlockRms(
  threshold: Scalar,
  options: ArithmeticOption = {},
): GradientTransformation<EmptyState> {
  const a = arithmeticOf(options.arithmetic)
  checkNumber('clipByBlockRms', 'threshold', threshold, 0)
  return stateless(
    (updates) =>
      leafwise('clipByBlockRms', [updates], ([u]) => [
        tensorOf(a.divScalar(u!, a.maximum(1, a.div(rms(a, u!), threshold)))),
      ])[0],
  )
}

/**
 * Each leaf times the root mean square of its parameters, at least `minScale`, 1e-3 by default. `update` needs them.
 *
 * @example tree.leavesOf(scaleByParamBlockRms().update([tensor([1])], {}, [tensor([3])])[0])[0].item() // 3
 */
export function scaleByParamBlockRms(
  minScale: number = 1e-3,
  options: ArithmeticOption = {},
): GradientTransformation<EmptyState> {
  const a = arithmeticOf(options.arithmetic)
  checkNumber('scaleByParamBlockRms', 'minScale', minScale, 0)
  return stateless(
    (updates, params) =>
      leafwise('scaleByParamBlockRms', [updates, needParams('scaleByParamBlockRms', params)], ([u, p]) => [
        tensorOf(a.mul(u!, a.maximum(rms(a, p!), minScale))),
      ])[0],
  )
}

/** The root of the mean of a leaf's squares, one element. */
function rms(a: LaneArithmetic, x: Tensor): Lane {
  return a.sqrt(leafMean(a, a.mul(laneOf(x), x)))
}

/**
 * Adafactor: `chain(scaleByFactoredRms, clipByBlockRms, scaleByLearningRate, scaleByParamBlockRms, ema,
 * addDecayedWeights, scale(-1))`, without the links that are switched off.
 *
 * @example adafactor({ learningRate: 1e-2 }).init([tensor([1])]).length // 5
 */
export function adafactor(options: AdafactorOptions = {}): GradientTransformation<readonly State[]> {
  const { learningRate, momentum, weightDecayRate, weightDecayMask, arithmetic } = options
  const threshold = 'clippingThreshold' in options ? options.clippingThreshold : 1
  const links: GradientTransformation[] = [
    scaleByFactoredRms({ ...options, stepOffset: options.decayOffset ?? 0, epsilon: options.eps ?? 1e-30 }),
  ]
  const exact = arithmetic === undefined ? {} : { arithmetic }
  if (threshold !== undefined) links.push(clipByBlockRms(threshold, exact))
  if (learningRate !== undefined) links.push(scaleByLearningRate(learningRate, { ...exact, flipSign: false }))
  if (options.multiplyByParameterScale !== false) links.push(scaleByParamBlockRms(1e-3, exact))
  if (momentum !== undefined)
    links.push(
      ema(momentum, { ...exact, debias: false, accumulatorDtype: options.dtypeMomentum ?? 'float32' }),
    )
  if (weightDecayRate !== undefined)
    links.push(
      addDecayedWeights(
        weightDecayRate,
        weightDecayMask === undefined ? exact : { ...exact, mask: weightDecayMask },
      ),
    )
  links.push(scale(-1, exact))
  return chain(...links)
}
