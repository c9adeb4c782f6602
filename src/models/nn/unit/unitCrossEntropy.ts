import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { logsumexp } from '../../../numerics/index.js'
import {
  cast,
  checkTensor,
  type FloatDType,
  isFloat,
  reshape,
  sameShape,
  sizeOf,
  sub,
  sum,
  type Tensor,
  takeAlongAxis,
} from '../../../tensors/tensor/index.js'
import { rescale } from './rescale.js'
import { checkMultiplier } from './unitFactors.js'

/** Options of unitCrossEntropy. */
export interface UnitCrossEntropyOptions {
  /** What logits are multiplied by first, the inverse of a temperature. Default 1. */
  readonly mult?: number
}

const names: OptionTable<UnitCrossEntropyOptions> = { mult: 'optional' }

/**
 * Mean cross entropy with a gradient of unit scale where logits are small: (softmax - one-hot) n / sqrt(n - 1) of n classes, not divided
 * by the number of labels.
 *
 * Shape     logits [..., n], n at least 2, labels int32 or uint32 [...] -> [].
 * Rounding  `numerics.logsumexp` less the logit of the label, their sum, the factor.
 * Throws    TypeError for labels that are no integers; RangeError for shapes that differ.
 * Source    arXiv 2303.11257, appendix; the package unit-scaling 0.3.5
 *
 * @example unitCrossEntropy(tensor([[0, 0]]), tensor([1], { dtype: 'int32' })).item() // 0.6931471824645996
 */
export function unitCrossEntropy<D extends FloatDType>(
  logits: Tensor<D>,
  labels: Tensor<'int32'> | Tensor<'uint32'>,
  options: UnitCrossEntropyOptions = noOptions,
): Tensor<D> {
  checkTensor('unitCrossEntropy', logits)
  checkTensor('unitCrossEntropy', labels)
  checkOptions('unitCrossEntropy', options, names)
  const { mult = 1 } = options
  checkMultiplier('unitCrossEntropy', 'mult', mult)
  if (!isFloat(logits.dtype)) {
    throw new TypeError(`unitCrossEntropy: logits are no floats [${String(logits.dtype)}]`)
  }
  const kind: string = labels.dtype
  if (kind !== 'int32' && kind !== 'uint32') {
    throw new TypeError(`unitCrossEntropy: labels are not int32 or uint32 [${kind}]`)
  }
  const classes = logits.shape.at(-1) ?? 0
  if (classes < 2 || !sameShape(logits.shape.slice(0, -1), labels.shape)) {
    throw new RangeError(
      `unitCrossEntropy: logits are not labels with an axis of 2 classes or more [${logits.shape.join(', ')} and ${labels.shape.join(', ')}]`,
    )
  }
  const rows = sizeOf(labels.shape)
  const scaled = rescale(logits, { backward: classes / Math.sqrt(classes - 1) })
  const x = reshape(rescale(scaled, { forward: mult }), [rows, classes])
  const own = reshape(takeAlongAxis(x, reshape(cast(labels, 'int32'), [rows, 1]), { axis: 1 }), [rows])
  const total = sum(sub(logsumexp(x, { axis: 1 }), own))
  return rescale(total, { forward: 1 / Math.max(1, rows) }) as Tensor<D>
}
