import type { FloatDType } from '../tensor/index.js'
import type { Tree } from '../tree/index.js'
import { addDecayedWeights } from './addDecayedWeights.js'
import { type ArithmeticOption, arithmeticOf } from './arithmetic.js'
import { chain } from './chain.js'
import { checkNumber } from './checkOptions.js'
import { type Scalar, tensorOf } from './lane.js'
import { leafwise, zerosLike } from './leafwise.js'
import type { Mask } from './mask.js'
import { updateMoment } from './moments.js'
import { type LearningRate, scaleByLearningRate } from './scaleByLearningRate.js'
import { type GradientTransformation, nextCount, type State } from './transformation.js'

/** The constants of Lion. */
export interface ScaleByLionOptions extends ArithmeticOption {
  /** Weight of the momentum in the direction. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the momentum. Default: 0.99. */
  readonly b2?: Scalar
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
}

/** Lion with weight decay and a learning rate. */
export interface LionOptions extends ScaleByLionOptions {
  readonly learningRate: LearningRate
  /** Default: 1e-3, ten times AdamW's. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

/** Steps done and the momentum. */
export type LionState = { readonly count: number; readonly mu: Tree }

/**
 * Lion's direction: sign((1 - b1) g + b1 mu), then mu' = (1 - b2) g + b2 mu.
 *
 * Special   the sign of 0 is 0, of NaN NaN; in 'xla-cpu' that of a subnormal is 0.
 * Source    Symbolic discovery of optimization algorithms, arXiv:2302.06675
 */
export function scaleByLion(options: ScaleByLionOptions = {}): GradientTransformation<LionState> {
  const { b1 = 0.9, b2 = 0.99, muDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkNumber('scaleByLion', 'b1', b1, 0, 1)
  checkNumber('scaleByLion', 'b2', b2, 0, 1)
  return {
    init: (params) => ({ count: 0, mu: zerosLike(params, muDtype) }),
    update(updates, state) {
      const [direction, mu] = leafwise('scaleByLion', [updates, state.mu], ([g, m]) => [
        tensorOf(a.sign(updateMoment(a, b1, g!, m!))),
        tensorOf(updateMoment(a, b2, g!, m!), muDtype),
      ])
      return [direction, { count: nextCount(state.count), mu }]
    },
  }
}

/**
 * Lion: `chain(scaleByLion, addDecayedWeights, scaleByLearningRate)`.
 *
 * @example lion({ learningRate: 1e-4 }).init([tensor([1])]).length // 3
 */
export function lion(options: LionOptions): GradientTransformation<readonly State[]> {
  return chain(
    scaleByLion(options),
    addDecayedWeights(options.weightDecay ?? 1e-3, options),
    scaleByLearningRate(options.learningRate, options),
  )
}
