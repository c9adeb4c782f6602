import { mul } from '../elementwise/arithmetic.js'
import { reshape } from '../layout/layout.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/**
 * All products of an element of a and one of b, both counted flat: [a.size, b.size]. Each is rounded once to the dtype.
 *
 * @example outer(tensor([1, 2]), tensor([3, 4])).toNested() // [[3,4],[6,8]]
 */
export function outer<D extends DType>(a: Tensor<D>, b: Tensor<D>): Tensor<D> {
  checkTensor('outer', a)
  checkTensor('outer', b)
  return mul(reshape(a, [a.size, 1]), reshape(b, [1, b.size]))
}
