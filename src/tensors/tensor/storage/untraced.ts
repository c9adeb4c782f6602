import { checkTensor } from './checkCall.js'
import type { DType } from './dtype.js'
import { Tensor } from './tensor.js'

/**
 * The same elements as a constant: nothing is recorded of what is done with them, and no gradient flows through.
 *
 * Cost      none where x carries no trace: x itself.
 *
 * @example untraced(tensor([1, 2])).toNested() // [1, 2]
 */
export function untraced<D extends DType>(x: Tensor<D>): Tensor<D> {
  checkTensor('untraced', x)
  return x.trace ? new Tensor(x.dtype, x.shape, x.data) : x
}
