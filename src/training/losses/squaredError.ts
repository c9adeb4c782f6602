import { checkOptions, noOptions } from '../../base/options/index.js'
import { type DType, type FloatDType, mul, square, sub, type Tensor } from '../../tensors/tensor/index.js'
import { checkAlike, inside, type LossOptions, lossNames } from './lossOptions.js'

/**
 * (predictions - targets)^2, element by element; without targets the predictions are the errors.
 *
 * Shape     that of both, which is the same. Dtype a float, both alike.
 * Rounding  the difference, then its square.
 * Error     |r - s| <= 3.01 u s, u half an ulp of 1 in the dtype; squares below the smallest normal number aside.
 *
 * @example squaredError(tensor([1, 3]), tensor([1, 1])).toNested() // [0,4]
 */
export function squaredError<D extends DType>(
  predictions: Tensor<D>,
  targets?: Tensor<D>,
  options: LossOptions = noOptions,
): Tensor<D> {
  checkOptions('squaredError', options, lossNames)
  return ofErrors('squaredError', predictions, targets, options.internal, square)
}

/**
 * Half the squared error.
 *
 * Shape, Dtype, Rounding as `squaredError`; the half is exact, subnormal results aside.
 *
 * @example l2Loss(tensor([1, 3]), tensor([1, 1])).toNested() // [0,2]
 */
export function l2Loss<D extends DType>(
  predictions: Tensor<D>,
  targets?: Tensor<D>,
  options: LossOptions = noOptions,
): Tensor<D> {
  checkOptions('l2Loss', options, lossNames)
  return ofErrors('l2Loss', predictions, targets, options.internal, (errors) => mul(square(errors), 0.5))
}

/** A loss of predictions minus targets, or of the predictions where there are none, computed as `inside` does. */
export function ofErrors<D extends DType>(
  op: string,
  predictions: Tensor<D>,
  targets: Tensor<D> | undefined,
  internal: FloatDType | undefined,
  loss: (errors: Tensor) => Tensor,
): Tensor<D> {
  checkAlike(op, predictions, targets === undefined ? {} : { targets })
  if (targets === undefined) return inside(op, [predictions], internal, (p) => loss(p!))
  return inside(op, [predictions, targets], internal, (p, t) => loss(sub(p!, t!)))
}
