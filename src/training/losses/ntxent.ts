import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import {
  add,
  apply,
  cast,
  checkTensor,
  div,
  dtypeFacts,
  equal,
  exp,
  expandDims,
  eye,
  type FloatDType,
  log,
  logicalAnd,
  logicalNot,
  max,
  maximum,
  mul,
  neg,
  sqrt,
  square,
  stopGradientOp,
  sub,
  sum,
  type Tensor,
  where,
} from '../../tensors/tensor/index.js'
import { checkFloat, inside, type LossOptions, lossNames } from './lossOptions.js'

/** How sharp similarities are taken. */
export interface NtxentOptions extends LossOptions {
  /** Cosines are divided by it. Default: 0.07. */
  readonly temperature?: number
}

const names: OptionTable<NtxentOptions> = { temperature: 'optional', ...lossNames }

/**
 * The normalized temperature-scaled cross-entropy of contrastive learning: embeddings of one label are to be near one another, all others far.
 *
 * Shape     embeddings [n, d], labels [n] of integers; the loss is a scalar, the mean over all pairs of one label.
 * Rounding  every operation; sums in float32, once to the dtype. `{ internal: 'float32' }` is the stable way in narrow dtypes.
 * Special   without a pair of one label NaN. A vector of zeros has the cosine 0.
 * Source    SimCLR, arXiv:2002.05709
 *
 * @example ntxent(tensor([[1, 0], [1, 0], [0, 1], [0, 1]]), tensor([0, 0, 1, 1], { dtype: 'int32' }), { temperature: 1 }).item().toFixed(4) // '0.5514'
 */
export function ntxent(
  embeddings: Tensor,
  labels: Tensor<'int32' | 'uint32'>,
  options: NtxentOptions = noOptions,
): Tensor {
  checkOptions('ntxent', options, names)
  const { temperature = 0.07 } = options
  checkNumber('ntxent', 'temperature', temperature, Number.MIN_VALUE)
  checkFloat('ntxent', embeddings)
  checkTensor('ntxent', labels)
  if (embeddings.rank !== 2 || labels.rank !== 1 || labels.shape[0] !== embeddings.shape[0]) {
    throw new RangeError(
      `ntxent: labels [n] do not fit embeddings [n, d] [${labels.shape.join(', ')} and ${embeddings.shape.join(', ')}]`,
    )
  }
  const same = equal(expandDims(labels, 1), expandDims(labels, 0))
  const pairs = logicalAnd(same, logicalNot(eye(labels.shape[0]!, { dtype: 'bool' })))
  return inside('ntxent', [embeddings], options.internal, (x) => {
    const epsilon = dtypeFacts(x!.dtype as FloatDType).eps
    const unit = div(x!, sqrt(maximum(sum(square(x!), { axis: 1, keepDims: true }), epsilon)))
    const cosines = sum(mul(expandDims(unit, 0), expandDims(unit, 1)), { axis: 2 })
    const scores = div(cosines, temperature)
    const [far, near] = [where(same, -Infinity, scores), where(pairs, scores, -Infinity)]
    const largest = apply(
      stopGradientOp,
      [maximum(max(far, { axis: 1, keepDims: true }), max(near, { axis: 1, keepDims: true }))],
      undefined,
    )
    const shifted = sub(near, largest)
    const others = sum(exp(sub(far, largest)), { axis: 1, keepDims: true })
    const logs = sub(shifted, log(add(others, exp(shifted))))
    const count = sum(cast(pairs, 'float32'))
    return div(neg(sum(where(pairs, logs, 0))), cast(count, x!.dtype))
  })
}
