import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDecay, checkDtype, checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment } from '../arithmetic/moments.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** Steps done and the running mean. */
export type EmaState = { readonly count: number; readonly ema: Tree }

/** How a running mean is kept and given out. */
export interface EmaOptions extends ArithmeticOption {
  /** Whether the output is divided by 1 - decay^t, t the number of this step. Default: true. */
  readonly debias?: boolean
  /** The dtype in which the mean is kept. Default: that of the parameters. */
  readonly accumulatorDtype?: FloatDType
}

/** The names of `EmaOptions`. */
export const emaNames: OptionTable<EmaOptions> = {
  debias: 'optional',
  accumulatorDtype: 'optional',
  ...arithmeticNames,
}

/**
 * The running mean of updates: e' = (1 - decay) g + decay e. The output is e' before it is cast to the accumulator's
 * dtype, divided by 1 - decay^t with `debias`; the state is never corrected.
 *
 * @example tree.leavesOf(ema(0.5).update([tensor([3])], ema(0.5).init([tensor([0])]))[0])[0].item() // 3
 */
export function ema(decay: Scalar, options: EmaOptions = {}): GradientTransformation<EmaState> {
  checkOptions('ema', options, emaNames)
  checkFlag('ema', 'debias', options.debias)
  checkDtype('ema', 'accumulatorDtype', options.accumulatorDtype)
  const { debias = true, accumulatorDtype } = options
  const a = arithmeticOf(options.arithmetic)
  if (debias) checkDecay('ema', 'decay', decay)
  else checkScalar('ema', 'decay', decay, 0, 1)
  return {
    recordable: true,
    init: (params) => ({ count: 0, ema: zerosLike(params, accumulatorDtype) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const [out, kept] = leafwise('ema', [updates, state.ema], ([g, e], count) => {
        const mean = updateMoment(a, decay, g!, e!)
        return [debias ? biasCorrection(a, decay, t, mean, count) : mean, inDtype(mean, accumulatorDtype)]
      })
      return [out, { count: t, ema: kept }]
    },
  }
}
