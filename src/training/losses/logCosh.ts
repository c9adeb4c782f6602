import { checkOptions, noOptions } from '../../base/options/index.js'
import { logAddExp } from '../../numerics/index.js'
import { type DType, neg, sub, type Tensor } from '../../tensors/tensor/index.js'
import { type LossOptions, lossNames } from './lossOptions.js'
import { ofErrors } from './squaredError.js'

/**
 * log cosh of the errors: a parabola near 0, |e| - log 2 far from it, without overflow.
 *
 * Shape     that of predictions and targets, which is the same. Dtype a float, both alike.
 * Rounding  the error, log(e^e + e^-e) as `logAddExp`, the difference from log 2.
 * Error     of an error e: 3.2 u (|e| + 1), absolute; small errors lose their digits to log 2.
 *
 * @example logCosh(tensor([0, 100])).toNested() // [0,99.30685424804688]
 */
export function logCosh<D extends DType>(
  predictions: Tensor<D>,
  targets?: Tensor<D>,
  options: LossOptions = noOptions,
): Tensor<D> {
  checkOptions('logCosh', options, lossNames)
  return ofErrors('logCosh', predictions, targets, options.internal, (errors) =>
    sub(logAddExp(errors, neg(errors)), Math.LN2),
  )
}
