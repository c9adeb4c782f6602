import { type Tensor, take } from '../../../tensors/tensor/index.js'
import { integer } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { eachPart, real } from '../values/value.js'

/** `stablehlo.torch_index_select`: rows by indices, an operation of old texts. */
export const torchIndexSelect: Lowering = (op) => {
  const axis = integer(op, 'dim')
  if (integer(op, 'batch_dims', 0) !== 0) throw new RangeError('has batch dimensions, lower it to gather')
  return single(([x, indices]) =>
    eachPart(x, (part) => take(part, real(indices) as Tensor<'int32'>, { axis })),
  )
}
