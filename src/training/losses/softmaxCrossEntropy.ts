import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { logSoftmax, logsumexp, softmax } from '../../numerics/index.js'
import {
  add,
  any,
  type DType,
  expandDims,
  mul,
  neg,
  notEqual,
  reshape,
  sub,
  type Tensor,
  takeAlongAxis,
  where,
} from '../../tensors/tensor/index.js'
import {
  checkAlike,
  checkFloat,
  classesOf,
  counted,
  inside,
  kept,
  type SummedLossOptions,
  summed,
  summedNames,
  sumsOf,
} from './lossOptions.js'

const axisFirst = { positional: 'axis' }

/**
 * -sum labels logSoftmax(logits) along an axis: the cross entropy of a distribution over classes.
 *
 * Shape     logits and labels alike, without the axis, default the last. Dtype a float, both alike.
 * Rounding  `logSoftmax` op by op, its sum and the last one in float32 unless `accumulate` says otherwise; the products.
 * Special   a label 0 beside a logit of -Inf gives NaN: `safeSoftmaxCrossEntropy` skips it. What `where` leaves out is no class.
 * Error     for labels that sum to 1 over n classes: (5 D + n + 6) u absolute, D the range of the logits, u half an ulp of 1.
 *
 * @example softmaxCrossEntropy(tensor([[0, 0], [100, 0]]), tensor([[1, 0], [0, 1]])).toNested() // [0.6931471824645996,100]
 */
export function softmaxCrossEntropy<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor<D>,
  options: SummedLossOptions = noOptions,
): Tensor<D> {
  checkOptions('softmaxCrossEntropy', options, summedNames, axisFirst)
  checkAlike('softmaxCrossEntropy', logits, { labels })
  const how = counted('softmaxCrossEntropy', options, logits)
  return inside('softmaxCrossEntropy', [logits, labels], options.internal, (x, y) =>
    neg(summed(mul(y!, logProbabilities(x!, how)), how)),
  )
}

/**
 * `softmaxCrossEntropy` in which a label of 0 counts nothing whatever its logit is: with logits of -Inf for classes that
 * cannot be.
 *
 * Shape, Dtype, Rounding as `softmaxCrossEntropy`.
 *
 * @example safeSoftmaxCrossEntropy(tensor([[0, 0, -Infinity]]), tensor([[1, 0, 0]])).toNested() // [0.6931471824645996]
 */
export function safeSoftmaxCrossEntropy<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor<D>,
  options: SummedLossOptions = noOptions,
): Tensor<D> {
  checkOptions('safeSoftmaxCrossEntropy', options, summedNames, axisFirst)
  checkAlike('safeSoftmaxCrossEntropy', logits, { labels })
  const how = counted('safeSoftmaxCrossEntropy', options, logits)
  return inside('safeSoftmaxCrossEntropy', [logits, labels], options.internal, (x, y) => {
    const possible = notEqual(y!, 0)
    // Chosen before the product: the gradient of 0 times -Inf would be NaN.
    const chosen = where(possible, logProbabilities(x!, how), 0)
    return neg(summed(mul(y!, chosen), how))
  })
}

/**
 * logsumexp(logits) less the logit of the label: the cross entropy where the label is the index of one class.
 *
 * Shape     labels as logits without the axis, default the last; so is the result.
 * Dtype     logits a float; labels int32 or uint32, from 0.
 * Rounding  `logsumexp` op by op, its sum in float32 unless `accumulate` says otherwise; the difference.
 * Throws    RangeError for a label that is no class (optax gives NaN).
 *
 * @example softmaxCrossEntropyWithIntegerLabels(tensor([[0, 0], [100, 0]]), tensor([0, 1], { dtype: 'int32' })).toNested() // [0.6931471824645996,100]
 */
export function softmaxCrossEntropyWithIntegerLabels<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor<'int32'> | Tensor<'uint32'>,
  options: SummedLossOptions = noOptions,
): Tensor<D> {
  const op = 'softmaxCrossEntropyWithIntegerLabels'
  checkOptions(op, options, summedNames, axisFirst)
  const { axis = -1, internal } = options
  checkFloat(op, logits)
  const at = axis < 0 ? axis + logits.rank : axis
  if (!Number.isInteger(axis) || at < 0 || at >= logits.rank) {
    throw new RangeError(`${op}: no such axis in rank ${logits.rank} [${axis}]`)
  }
  const classes = classesOf(op, logits, labels, at)
  const how = counted(op, options, logits)
  return inside(op, [logits], internal, (x) => {
    const own = reshape(takeAlongAxis(x!, expandDims(classes, at), { axis: at }), labels.shape)
    const total = logsumexp(kept(x!, how, -Infinity), { axis: at, ...sumsOf(options) })
    const loss = sub(total, own)
    return how.where ? where(any(how.where, { axis: at }), loss, 0) : loss
  })
}

/** The constant of the poly loss. */
export interface PolyLossOptions extends SummedLossOptions {
  /** The weight of 1 - p, the first term of the series. Default: 2. */
  readonly epsilon?: number
}

const polyNames: OptionTable<PolyLossOptions> = { epsilon: 'optional', ...summedNames }

/**
 * The cross entropy plus epsilon sum labels (1 - p): its series in 1 - p with the first coefficient changed.
 *
 * Shape, Dtype as `softmaxCrossEntropy`. Rounding p, 1 - p, the products, both sums, epsilon times one, the sum of both.
 * Source    PolyLoss, arXiv:2204.12511
 *
 * @example polyLossCrossEntropy(tensor([[0, 0]]), tensor([[1, 0]])).toNested() // [1.6931471824645996]
 */
export function polyLossCrossEntropy<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor<D>,
  options: PolyLossOptions = noOptions,
): Tensor<D> {
  checkOptions('polyLossCrossEntropy', options, polyNames, { positional: 'epsilon' })
  const { epsilon = 2, axis = -1, internal } = options
  checkNumber('polyLossCrossEntropy', 'epsilon', epsilon)
  checkAlike('polyLossCrossEntropy', logits, { labels })
  const how = counted('polyLossCrossEntropy', options, logits)
  return inside('polyLossCrossEntropy', [logits, labels], internal, (x, y) => {
    const p = softmax(kept(x!, how, -Infinity), { axis, ...sumsOf(options) })
    const entropy = neg(summed(mul(y!, logProbabilities(x!, how)), how))
    return add(entropy, mul(summed(mul(y!, sub(1, kept(p, how))), how), epsilon))
  })
}

/** What does not count is out of the softmax, and 0: its product with a label is chosen away in the sum. */
function logProbabilities(x: Tensor, options: SummedLossOptions): Tensor {
  const { axis = -1 } = options
  return kept(logSoftmax(kept(x, options, -Infinity), { axis, ...sumsOf(options) }), options)
}
