import { transpose } from '../layout/layout.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/**
 * x with its last two axes exchanged: every matrix of a batch transposed.
 *
 * Shape     [..., m, n] to [..., n, m].
 * Throws    RangeError for fewer than two axes.
 *
 * @example matrixTranspose(tensor([[[1, 2], [3, 4]]])).toNested() // [[[1,3],[2,4]]]
 */
export function matrixTranspose<D extends DType>(x: Tensor<D>): Tensor<D> {
  checkTensor('matrixTranspose', x)
  const { rank, shape } = x
  if (rank < 2) throw new RangeError(`matrixTranspose: needs two axes or more [${shape.join(', ')}]`)
  return transpose(x, [...shape.slice(0, -2).keys(), rank - 1, rank - 2])
}
