import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import {
  type FactoredRmsOptions,
  factoredRmsNames,
  scaleByFactoredRms,
} from '../rescalings/scaleByFactoredRms.js'
import { scaleByParamBlockRms } from '../rescalings/scaleByParamBlockRms.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { clipByBlockRms } from '../transforms/clipByBlockRms.js'
import { ema } from '../transforms/ema.js'
import { scale } from '../transforms/scale.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

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

/** The names of `AdafactorOptions`. */
export const adafactorNames: OptionTable<AdafactorOptions> = {
  learningRate: 'optional',
  decayOffset: 'optional',
  multiplyByParameterScale: 'optional',
  clippingThreshold: 'optional',
  momentum: 'optional',
  dtypeMomentum: 'optional',
  weightDecayRate: 'optional',
  weightDecayMask: 'optional',
  eps: 'optional',
  factored: 'optional',
  decayRate: 'optional',
  minDimSizeToFactor: 'optional',
  ...arithmeticNames,
}

/**
 * Adafactor: `chain(scaleByFactoredRms, clipByBlockRms, scaleByLearningRate, scaleByParamBlockRms, ema,
 * addDecayedWeights, scale(-1))`, without the links that are switched off.
 *
 * @example adafactor({ learningRate: 1e-2 }).init([tensor([1])]).length // 5
 */
export function adafactor(options: AdafactorOptions = {}): GradientTransformation<readonly State[]> {
  checkOptions('adafactor', options, adafactorNames)
  const { learningRate, momentum, weightDecayRate, weightDecayMask, arithmetic } = options
  const threshold = 'clippingThreshold' in options ? options.clippingThreshold : 1
  const links: GradientTransformation[] = [
    scaleByFactoredRms({
      ...chosen(options, factoredRmsNames),
      stepOffset: options.decayOffset ?? 0,
      epsilon: options.eps ?? 1e-30,
    }),
  ]
  const exact = arithmetic === undefined ? {} : { arithmetic }
  if (threshold !== undefined) links.push(clipByBlockRms(threshold, exact))
  if (learningRate !== undefined) links.push(scaleByLearningRate(learningRate, { ...exact, flipSign: false }))
  if (options.multiplyByParameterScale !== false) links.push(scaleByParamBlockRms(1e-3, exact))
  if (momentum !== undefined) {
    links.push(
      ema(momentum, { ...exact, debias: false, accumulatorDtype: options.dtypeMomentum ?? 'float32' }),
    )
  }
  if (weightDecayRate !== undefined) {
    links.push(
      addDecayedWeights(
        weightDecayRate,
        weightDecayMask === undefined ? exact : { ...exact, mask: weightDecayMask },
      ),
    )
  }
  links.push(scale(-1, exact))
  return chain(...links)
}
