import { type Tensor, take } from '../../../tensors/tensor/index.js'
import { integer, region } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { broadcastLanes } from '../values/perElement.js'
import { refused } from '../values/refused.js'
import { eachPart, real } from '../values/value.js'
import { resultType } from './moves.js'

/** `stablehlo.map`: a region of scalars on every element. */
export const map: Lowering = (op, context) => {
  const body = context.lifted(region(op))
  const { shape } = resultType(op)
  return (inputs, frame) => body(frame)(inputs).map((value) => broadcastLanes(value, shape))
}

/** Rows by indices: an operation of old texts. */
export const torchIndexSelect: Lowering = (op) => {
  const dim = integer(op, 'dim')
  if (integer(op, 'batch_dims', 0) !== 0)
    return refused('has batch dimensions, which is not known yet')(op, undefined as never)
  return single(([x, indices]) =>
    eachPart(x, (part) => take(part, real(indices) as Tensor<'int32'>, { axis: dim })),
  )
}
