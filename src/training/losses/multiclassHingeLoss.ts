import { checkOptions, noOptions } from '../../base/options/index.js'
import {
  add,
  type DType,
  max,
  oneHot,
  reshape,
  sub,
  type Tensor,
  takeAlongAxis,
} from '../../tensors/tensor/index.js'
import { checkFloat, classesOf, inside, type LossOptions, lossNames } from './lossOptions.js'

/**
 * The largest of the other scores plus 1 and the score of the label, less the latter.
 *
 * Shape     scores [..., classes], labels [...], int32 from 0 -> [...]. Dtype scores a float.
 * Rounding  score + 1, less 1 for the label itself; the difference.
 *
 * @example multiclassHingeLoss(tensor([[3, 1], [0, 2]]), tensor([0, 0], { dtype: 'int32' })).toNested() // [0,3]
 */
export function multiclassHingeLoss<D extends DType>(
  scores: Tensor<D>,
  labels: Tensor<'int32'> | Tensor<'uint32'>,
  options: LossOptions = noOptions,
): Tensor<D> {
  return margin('multiclassHingeLoss', scores, labels, options, (x) =>
    sub(add(x, 1), oneHot(labels, x.shape.at(-1)!, { dtype: x.dtype })),
  )
}

/**
 * The largest score less that of the label.
 *
 * Shape, Dtype as `multiclassHingeLoss`. Rounding the difference.
 *
 * @example multiclassPerceptronLoss(tensor([[3, 1], [0, 2]]), tensor([0, 0], { dtype: 'int32' })).toNested() // [0,2]
 */
export function multiclassPerceptronLoss<D extends DType>(
  scores: Tensor<D>,
  labels: Tensor<'int32'> | Tensor<'uint32'>,
  options: LossOptions = noOptions,
): Tensor<D> {
  return margin('multiclassPerceptronLoss', scores, labels, options, (x) => x)
}

function margin<D extends DType>(
  op: string,
  scores: Tensor<D>,
  labels: Tensor<'int32'> | Tensor<'uint32'>,
  options: LossOptions,
  rivals: (scores: Tensor) => Tensor,
): Tensor<D> {
  checkOptions(op, options, lossNames)
  checkFloat(op, scores)
  const classes = classesOf(op, scores, labels, scores.rank - 1)
  return inside(op, [scores], options.internal, (x) => {
    const own = takeAlongAxis(x!, reshape(classes, [...labels.shape, 1]))
    return sub(max(rivals(x!), { axis: -1 }), reshape(own, labels.shape))
  })
}
