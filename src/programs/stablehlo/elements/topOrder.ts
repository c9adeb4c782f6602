import { apply, isFloat, type KnownOp, sizeOf, Tensor } from '../../../tensors/tensor/index.js'
import { sortedBy } from './sortedBy.js'
import { totalOrderKeys } from './totalOrder.js'

/** The places along the last axis in descending order, NaN first, +0 before -0, equal ones as they stand. */
const topOrderOp: KnownOp = {
  name: 'topOrder',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x]) => {
    const { shape, data } = x!
    const other: unknown = data
    const values = isFloat(x!.dtype)
      ? totalOrderKeys(x!)
      : other instanceof BigInt64Array
        ? other
        : Float64Array.from(x!.toNumbers())
    const length = shape.at(-1) ?? 1
    return new Tensor('int32', shape, sortedBy([{ values, descending: true }], length, 1, sizeOf(shape)))
  },
}

export function topOrder(x: Tensor): Tensor<'int32'> {
  return apply(topOrderOp, [x], undefined) as Tensor<'int32'>
}
