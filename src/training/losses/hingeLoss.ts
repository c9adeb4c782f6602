import { checkOptions, noOptions } from '../../base/options/index.js'
import { type DType, maximum, mul, neg, sub, type Tensor } from '../../tensors/tensor/index.js'
import { checkAlike, inside, type LossOptions, lossNames } from './lossOptions.js'

/**
 * max(0, 1 - outputs targets), targets -1 or 1: the loss of a support vector machine.
 *
 * Shape     that of both, which is the same. Dtype a float, both alike.
 * Rounding  the product (none for targets -1 and 1), the difference. The gradient at the kink is half.
 *
 * @example hingeLoss(tensor([2, 0.5]), tensor([1, -1])).toNested() // [0,1.5]
 */
export function hingeLoss<D extends DType>(
  outputs: Tensor<D>,
  targets: Tensor<D>,
  options: LossOptions = noOptions,
): Tensor<D> {
  checkOptions('hingeLoss', options, lossNames)
  checkAlike('hingeLoss', outputs, { targets })
  return inside('hingeLoss', [outputs, targets], options.internal, (x, y) => maximum(sub(1, mul(x!, y!)), 0))
}

/**
 * max(0, -outputs targets), targets -1 or 1: the loss of a perceptron.
 *
 * Shape, Dtype, Rounding as `hingeLoss`.
 *
 * @example perceptronLoss(tensor([2, 0.5]), tensor([1, -1])).toNested() // [0,0.5]
 */
export function perceptronLoss<D extends DType>(
  outputs: Tensor<D>,
  targets: Tensor<D>,
  options: LossOptions = noOptions,
): Tensor<D> {
  checkOptions('perceptronLoss', options, lossNames)
  checkAlike('perceptronLoss', outputs, { targets })
  return inside('perceptronLoss', [outputs, targets], options.internal, (x, y) =>
    maximum(mul(neg(x!), y!), 0),
  )
}
