import { allocate, type DType, elementsIn } from './dtype.js'
import { fill, weak } from './fill.js'
import { type Shape, sizeOf } from './shape.js'
import { type KnownOp, Tensor } from './tensor.js'

/** Plain numbers that became a tensor: one that stood beside tensors, or those that one was made of. */
export interface Constant {
  /** One number for all elements, or one for each. */
  readonly value: number | Float64Array
  readonly dtype: DType
  readonly shape: Shape
}

/**
 * The record of plain numbers that their dtype could not hold, so that they were rounded: 0.999 is 1 in bfloat16. It has no
 * operands, and is made where everything is recorded: beside tensors, and by `tensor`, `full` and their like.
 */
export const constantOp: KnownOp<Constant> = {
  name: 'constant',
  form: 'whole',
  rounds: 'once',
  kernel: (_, { value, dtype, shape }) => {
    if (typeof value !== 'number') return new Tensor(dtype, shape, fill(dtype, value))
    const one = weak('constant', value, dtype)
    if (shape.length === 0) return one
    const data = allocate(dtype, sizeOf(shape))
    elementsIn(data).fill(elementsIn(one.data)[0]!)
    return new Tensor(dtype, shape, data)
  },
}
