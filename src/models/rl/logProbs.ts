import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { logSoftmax } from '../../numerics/index.js'
import {
  cast,
  checkTensor,
  type DType,
  expandDims,
  isFloat,
  squeeze,
  type Tensor,
  takeAlongAxis,
} from '../../tensors/tensor/index.js'

/** Options of `logProbs`. */
export interface LogProbsOptions {
  /** The dtype inside of the log-softmax. Default: that of the logits, op by op. */
  readonly internal?: 'float32' | 'float64'
}

const logProbsNames: OptionTable<LogProbsOptions> = { internal: 'optional' }

/**
 * The log-probabilities of actions under logits.
 *
 * Shape     logits [n, actions], actions [n] -> [n].
 * Dtype     that of the logits.
 * Rounding  shifted = l - max, exp, their running sum, its log, shifted - log, each once in the logits' dtype; with `internal`
 *           inside of it, once at the end. In bfloat16 op by op the sum of 1,000 exponentials stalls, and every ratio against
 *           a float32 policy is beyond a clip of 0.2.
 * Throws    TypeError if logits are not a float tensor; RangeError for shapes, and actions that are none.
 *
 * @example logProbs(tensor([[0, 0]]), tensor([1], { dtype: 'int32' })).item() // -0.6931471824645996
 */
export function logProbs<D extends DType>(
  logits: Tensor<D>,
  actions: Tensor,
  options: LogProbsOptions = noOptions,
): Tensor<D> {
  checkLogits('logProbs', logits, actions)
  checkOptions('logProbs', options, logProbsNames, { positional: 'internal' })
  return taken(logSoftmax(logits, options), actions)
}

/** The element of each row that an action names. */
export function taken<D extends DType>(rows: Tensor<D>, actions: Tensor): Tensor<D> {
  const places = expandDims(cast(actions, 'int32'), 1)
  return squeeze(takeAlongAxis(rows, places, { axis: 1 }), { axis: 1 })
}

/** Throws unless logits are floats [n, actions], and actions [n]. */
export function checkLogits(op: string, logits: Tensor, actions: Tensor): void {
  checkTensor(`${op}: logits`, logits)
  checkTensor(`${op}: actions`, actions)
  if (!isFloat(logits.dtype)) throw new TypeError(`${op}: logits are no floats, cast them [${logits.dtype}]`)
  const fits = logits.rank === 2 && actions.rank === 1 && actions.shape[0] === logits.shape[0]
  if (!fits) {
    throw new RangeError(
      `${op}: not logits [n, actions] and actions [n] [${logits.shape.join(', ')}] and [${actions.shape.join(', ')}]`,
    )
  }
}
