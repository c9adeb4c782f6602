import { bitcast } from '../../../tensors/tensor/index.js'
import { reshaped, resultType } from '../moving/moves.js'
import { type Lowering, single } from '../values/lowering.js'
import { Complex, eachPart, real } from '../values/value.js'

/** `stablehlo.bitcast_convert`: the same bits; of another width they are joined from, or cut into, a last axis, the low bits first. */
export const bitcastConvert: Lowering = (op) => {
  const { dtype, shape, isComplex } = resultType(op)
  return single(([value]) => {
    if (!isComplex) return reshaped(bitcast(real(value), dtype), shape)
    if (!(value instanceof Complex)) {
      throw new TypeError('makes complex numbers of other bits, which no program of ours does')
    }
    return eachPart(value, (x) => bitcast(x, dtype))
  })
}
