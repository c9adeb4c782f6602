import { checkTensor } from '../storage/checkCall.js'
import { ones, zeros } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/**
 * Zeros of the shape and dtype of x.
 *
 * @example zerosLike(tensor([[1, 2]])).toNested() // [[0,0]]
 */
export function zerosLike<D extends DType>(x: Tensor<D>): Tensor<D> {
  checkTensor('zerosLike', x)
  return zeros(x.shape, { dtype: x.dtype })
}

/**
 * Ones of the shape and dtype of x.
 *
 * @example onesLike(tensor([[3, 2]])).toNested() // [[1,1]]
 */
export function onesLike<D extends DType>(x: Tensor<D>): Tensor<D> {
  checkTensor('onesLike', x)
  return ones(x.shape, { dtype: x.dtype })
}
