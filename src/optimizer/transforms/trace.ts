import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDtype, checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'
import { type StateFormatOption, stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'

/** The decaying sum of updates. */
export type TraceState = { readonly trace: Tree }

/** How a trace is kept and used. */
export interface TraceOptions extends ArithmeticOption, StateFormatOption {
  /** Whether the update looks one gradient ahead. Default: false. */
  readonly nesterov?: boolean
  /** The dtype in which the trace is kept. Default: that of the parameters. */
  readonly accumulatorDtype?: FloatDType
}

/** The names of `TraceOptions`. */
export const traceNames: OptionTable<TraceOptions> = {
  nesterov: 'optional',
  accumulatorDtype: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/**
 * Momentum, optax's trace (`systolic.trace` records a systolic array): t' = g + decay t, the update t', or g + decay t' with
 * `nesterov`. The update is the trace before it is cast to the accumulator's dtype.
 *
 * @example tree.leavesOf(trace(0.5).update([tensor([1])], { trace: [tensor([4])] })[0])[0].item() // 3
 */
export function trace(decay: Scalar, options: TraceOptions = {}): GradientTransformation<TraceState> {
  checkOptions('trace', options, traceNames)
  checkFlag('trace', 'nesterov', options.nesterov)
  checkDtype('trace', 'accumulatorDtype', options.accumulatorDtype)
  const { nesterov = false, accumulatorDtype } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('trace', 'decay', decay)
  const transform: GradientTransformation<TraceState> = {
    recordable: true,
    init: (params) => ({ trace: zerosLike(params, accumulatorDtype) }),
    update(updates, state) {
      const [out, kept] = leafwise('trace', [updates, state.trace], ([g, t]) => {
        const next = a.add(g!, a.mul(decay, t!))
        return [nesterov ? a.add(g!, a.mul(decay, next)) : next, inDtype(next, accumulatorDtype)]
      })
      return [out, { trace: kept }]
    },
  }
  return withStateFormat('trace', transform, options.stateFormat)
}
