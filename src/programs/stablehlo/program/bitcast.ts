import {
  apply,
  type DType,
  dtypeFacts,
  type KnownOp,
  type Shape,
  sizeOf,
  Tensor,
} from '../../../tensors/tensor/index.js'
import { type Lowering, single } from './lowering.js'
import { resultType } from './moves.js'
import { Complex, eachPart, real, type Value } from './value.js'

interface Bitcast {
  readonly dtype: DType
  readonly shape: Shape
}

/** The same bits under another dtype; of another width they are joined from, or cut into, a last axis, the low bits first. */
const bitcastOp: KnownOp<Bitcast> = {
  name: 'bitcast',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x], { dtype, shape }) => {
    const [from, to] = [dtypeFacts(x!.dtype), dtypeFacts(dtype)]
    const storage = to.storage
    if (from.bits % 8 === 0 && to.bits % 8 === 0) {
      const bytes = x!.data.slice().buffer
      return new Tensor(dtype, shape, new storage(bytes, 0, sizeOf(shape)) as never)
    }
    return new Tensor(dtype, shape, repacked(x!, from.bits, to, sizeOf(shape)) as never)
  },
}

/** Codes of less than 8 bits lie in bytes of their own: they are taken apart bit by bit. */
function repacked(
  x: Tensor,
  from: number,
  { bits: to, storage }: ReturnType<typeof dtypeFacts>,
  size: number,
): unknown {
  const out = new storage(size)
  const source = x.data
  if (from === to) {
    for (let i = 0; i < size; i++) out[i] = source[i]! as never
    return out
  }
  const bitAt = (i: number): number => (Number(source[Math.floor(i / from)]!) >> (i % from)) & 1
  for (let i = 0; i < size; i++) {
    let code = 0
    for (let bit = 0; bit < to; bit++) code += bitAt(i * to + bit) * 2 ** bit
    out[i] = code as never
  }
  return out
}

/** `stablehlo.bitcast_convert`. */
export const bitcastConvert: Lowering = (op) => {
  const { dtype, shape, isComplex } = resultType(op)
  return single(([value]): Value => {
    if (isComplex) {
      if (value instanceof Complex) return eachPart(value, (x) => apply(bitcastOp, [x], { dtype, shape }))
      throw new TypeError('makes complex numbers of other bits, which is not known yet')
    }
    return apply(bitcastOp, [real(value)], { dtype, shape })
  })
}
