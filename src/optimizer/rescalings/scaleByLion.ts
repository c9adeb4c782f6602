import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDtype, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { updateMoment } from '../arithmetic/moments.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'
import { type StateFormatOption, stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'

/** The constants of Lion. */
export interface ScaleByLionOptions extends ArithmeticOption, StateFormatOption {
  /** Weight of the momentum in the direction. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the momentum. Default: 0.99. */
  readonly b2?: Scalar
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
}

/** The names of `ScaleByLionOptions`. */
export const scaleByLionNames: OptionTable<ScaleByLionOptions> = {
  b1: 'optional',
  b2: 'optional',
  muDtype: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
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
  checkOptions('scaleByLion', options, scaleByLionNames)
  checkDtype('scaleByLion', 'muDtype', options.muDtype)
  const { b1 = 0.9, b2 = 0.99, muDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByLion', 'b1', b1, 0, 1)
  checkScalar('scaleByLion', 'b2', b2, 0, 1)
  const transform: GradientTransformation<LionState> = {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params, muDtype) }),
    update(updates, state) {
      const [direction, mu] = leafwise('scaleByLion', [updates, state.mu], ([g, m]) => [
        a.sign(updateMoment(a, b1, g!, m!)),
        inDtype(updateMoment(a, b2, g!, m!), muDtype),
      ])
      return [direction, { count: nextCount(state.count), mu }]
    },
  }
  return withStateFormat('scaleByLion', transform, options.stateFormat)
}
