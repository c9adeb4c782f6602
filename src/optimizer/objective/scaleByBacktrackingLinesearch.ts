import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import { leavesOf } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { innerProduct } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype } from '../arithmetic/operand.js'
import { elementOf } from '../arithmetic/recorded.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import { valueOf } from './valueOf.js'

/** When a step is long enough and short enough. */
export interface BacktrackingLinesearchOptions extends ArithmeticOption {
  /** Evaluations of the loss a step, less one. */
  readonly maxBacktrackingSteps: number
  /** The share of the slope's decrease that a step has to bring. Default: 1e-4. */
  readonly slopeRtol?: number
  /** What a step that is too long is multiplied by. Default: 0.8. */
  readonly decreaseFactor?: number
  /** What the first try is, as a multiple of the last step's length. Default: 1.5. */
  readonly increaseFactor?: number
  /** The longest step. Default: 1. */
  readonly maxLearningRate?: number
  /** How much the loss may be above what is asked. Default: 0. */
  readonly atol?: number
  /** The same as a share of the loss. Default: 0. */
  readonly rtol?: number
}

const names: OptionTable<BacktrackingLinesearchOptions> = {
  maxBacktrackingSteps: 'required',
  slopeRtol: 'optional',
  decreaseFactor: 'optional',
  increaseFactor: 'optional',
  maxLearningRate: 'optional',
  atol: 'optional',
  rtol: 'optional',
  ...arithmeticNames,
}

/** The last step's length, the loss behind it, how often the loss was asked for, and by how much it was missed. */
export type BacktrackingLinesearchState = {
  readonly learningRate: Tensor
  readonly value: Tensor
  readonly numLinesearchSteps: number
  readonly decreaseError: Tensor
}

/**
 * Updates times the first length, of those from long to short, at which the loss falls by enough (Armijo): behind an
 * optimizer. `update` needs `value`, `grad` and `valueFn` among its extra arguments, and the parameters.
 *
 * Special   where every try gives NaN or Inf the updates are multiplied by 0.
 * Cost      one evaluation of the loss a try.
 *
 * @example scaleByBacktrackingLinesearch({ maxBacktrackingSteps: 10 }).init([tensor([1])]).learningRate.item() // 1
 */
export function scaleByBacktrackingLinesearch(
  options: BacktrackingLinesearchOptions,
): GradientTransformation<BacktrackingLinesearchState> {
  checkOptions('scaleByBacktrackingLinesearch', options, names)
  const op = 'scaleByBacktrackingLinesearch'
  const { maxBacktrackingSteps, slopeRtol = 1e-4, decreaseFactor = 0.8, increaseFactor = 1.5 } = options
  const { maxLearningRate = 1, atol = 0, rtol = 0 } = options
  checkInteger(op, 'maxBacktrackingSteps', maxBacktrackingSteps, 0)
  const limits = { slopeRtol, decreaseFactor, increaseFactor, maxLearningRate, atol, rtol }
  for (const [name, value] of Object.entries(limits)) checkScalar(op, name, value, 0)
  const a = arithmeticOf(options.arithmetic)
  return {
    init(params) {
      const dtype = (leavesOf(params)[0]?.dtype ?? 'float32') as FloatDType
      const scalar = (value: number): Tensor => full([], value, { dtype })
      return {
        learningRate: scalar(1),
        value: scalar(Number.POSITIVE_INFINITY),
        numLinesearchSteps: 0,
        decreaseError: scalar(Number.POSITIVE_INFINITY),
      }
    },
    update(updates, state, params, extra) {
      const at = needParams(op, params)
      const { grad, valueFn } = extra ?? {}
      const dtype = state.learningRate.dtype as FloatDType
      const value = valueOf(op, extra, dtype)
      if (grad === undefined || typeof valueFn !== 'function') {
        throw new RangeError(
          `${op}: update needs { value, grad, valueFn } as its fourth argument [undefined]`,
        )
      }
      const slope = innerProduct(a, updates, grad)
      let rate = inDtype(a.minimum(a.mul(increaseFactor, state.learningRate), maxLearningRate), dtype)
      let found = value
      let error = Number.POSITIVE_INFINITY
      let tries = 0
      while (!(error <= atol) && tries <= maxBacktrackingSteps) {
        if (tries > 0) rate = inDtype(a.mul(decreaseFactor, rate), dtype)
        const [there] = leafwise(op, [updates, at], ([u, p]) => [a.add(p!, a.mul(rate, u!))])
        found = valueOf(op, { value: valueFn(there) }, dtype)
        const asked = a.mul(a.mul(rate, slopeRtol), slope)
        const missed = elementOf(a.sub(a.sub(found, a.mul(1 + rtol, value)), asked))
        error = Number.isNaN(missed) ? Number.POSITIVE_INFINITY : Math.max(missed, 0)
        tries++
      }
      const length = error === Number.POSITIVE_INFINITY ? full([], 0, { dtype }) : rate
      const [scaled] = leafwise(op, [updates], ([u]) => [a.mul(length, u!)])
      const decreaseError = full([], error, { dtype })
      return [scaled, { learningRate: length, value: found, numLinesearchSteps: tries, decreaseError }]
    },
  }
}
