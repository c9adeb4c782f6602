import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import {
  add,
  cast,
  checkTensor,
  type DType,
  mul,
  neg,
  pow,
  sigmoid,
  softplus,
  sub,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { checkFloat, checkShape, inside, type LossOptions, lossNames } from './lossOptions.js'

/**
 * The cross entropy of independent yes-or-no labels: labels softplus(-x) + (1 - labels) softplus(x), element by element.
 *
 * Shape     that of both, which is the same.
 * Dtype     logits a float; the labels, from 0 to 1, are cast to it from any dtype, bool and int32 too.
 * Rounding  both softplus, both products, 1 - label, the sum.
 * Error     4.1 u of the result.
 *
 * @example sigmoidBinaryCrossEntropy(tensor([0, 100]), tensor([1, 0])).toNested() // [0.6931471824645996,100]
 */
export function sigmoidBinaryCrossEntropy<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor,
  options: LossOptions = noOptions,
): Tensor<D> {
  checkOptions('sigmoidBinaryCrossEntropy', options, lossNames)
  checkLabels('sigmoidBinaryCrossEntropy', logits, labels)
  return inside('sigmoidBinaryCrossEntropy', [logits, cast(labels, logits.dtype)], options.internal, (x, y) =>
    crossEntropy(x!, y!),
  )
}

function crossEntropy(logits: Tensor, labels: Tensor): Tensor {
  return add(mul(labels, softplus(neg(logits))), mul(sub(1, labels), softplus(logits)))
}

/** The constants of the focal loss. */
export interface FocalOptions extends LossOptions {
  /** The weight of positive labels, 1 - alpha that of negative ones. Default: none. */
  readonly alpha?: number
  /** How far easy examples are weighted down. Default: 2. */
  readonly gamma?: number
}

const focalNames: OptionTable<FocalOptions> = { alpha: 'optional', gamma: 'optional', ...lossNames }

/**
 * The binary cross entropy times (1 - p)^gamma, p the probability given to the label: easy examples count less.
 *
 * Shape, Dtype as `sigmoidBinaryCrossEntropy`.
 * Rounding  1 - p as (1 - label) sigmoid(x) + label sigmoid(-x), which keeps its digits near 0; its power; the product.
 * Source    Focal loss for dense object detection, arXiv:1708.02002
 *
 * @example sigmoidFocalLoss(tensor([0]), tensor([1])).toNested() // [0.1732867956161499]
 */
export function sigmoidFocalLoss<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor,
  options: FocalOptions = noOptions,
): Tensor<D> {
  checkOptions('sigmoidFocalLoss', options, focalNames)
  const { alpha, gamma = 2, internal } = options
  checkNumber('sigmoidFocalLoss', 'gamma', gamma, 0)
  if (alpha !== undefined) checkNumber('sigmoidFocalLoss', 'alpha', alpha, 0, 1)
  checkLabels('sigmoidFocalLoss', logits, labels)
  return inside('sigmoidFocalLoss', [logits, cast(labels, logits.dtype)], internal, (x, y) => {
    const wrong = add(mul(sub(1, y!), sigmoid(x!)), mul(y!, sigmoid(neg(x!))))
    const loss = mul(crossEntropy(x!, y!), pow(wrong, gamma))
    if (alpha === undefined) return loss
    return mul(add(mul(y!, alpha), mul(sub(1, y!), 1 - alpha)), loss)
  })
}

function checkLabels(op: string, logits: Tensor, labels: Tensor): void {
  checkFloat(op, logits)
  checkTensor(op, labels)
  checkShape(op, 'labels', labels, logits)
}
