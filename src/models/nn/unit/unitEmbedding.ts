import { checkTensor, type DType, sizeOf, type Tensor, take } from '../../../tensors/tensor/index.js'
import { rescale } from './rescale.js'

/**
 * Rows of a table at positions, with a gradient of the table of unit scale: times sqrt(count / positions), since a row is read so many
 * times.
 *
 * Shape     table [count, features], positions int32 or uint32 [...] -> [..., features]. The table begins as normal numbers of variance 1.
 * Rounding  none forward; the gradient adds, then the factor.
 * Source    the package unit-scaling 0.3.5
 *
 * @example unitEmbedding(tensor([[1, 2], [3, 4]]), tensor([1], { dtype: 'int32' })).toNested() // [[3, 4]]
 */
export function unitEmbedding<D extends DType>(
  table: Tensor<D>,
  positions: Tensor<'int32'> | Tensor<'uint32'>,
): Tensor<D> {
  checkTensor('unitEmbedding', table)
  checkTensor('unitEmbedding', positions)
  if (table.rank !== 2) {
    throw new RangeError(`unitEmbedding: the table is no matrix [${table.shape.join(', ')}]`)
  }
  const kind: string = positions.dtype
  if (kind !== 'int32' && kind !== 'uint32') {
    throw new TypeError(`unitEmbedding: positions are not int32 or uint32 [${kind}]`)
  }
  const read = Math.max(1, sizeOf(positions.shape))
  return take(rescale(table, { backward: Math.sqrt(table.shape[0]! / read) }), positions, { axis: 0 })
}
