import {
  apply,
  broadcastTo,
  dtypeFacts,
  isFloat,
  type KnownOp,
  Tensor,
} from '../../../tensors/tensor/index.js'
import { commonShape } from '../values/perElement.js'

/** The upper half of the products of integers, twice as wide as they are; operands of one shape. */
const mulhiOp: KnownOp = {
  name: 'mulhi',
  form: 'elementwise',
  rounds: 'never',
  kernel: ([a, b]) => {
    const { dtype, shape, size } = a!
    const { bits, storage } = dtypeFacts(dtype)
    const out = new storage(size) as { [index: number]: number | bigint }
    const isBig = bits === 64
    for (let i = 0; i < size; i++) {
      const high = (BigInt(a!.data[i]!) * BigInt(b!.data[i]!)) >> BigInt(bits)
      out[i] = isBig ? high : Number(high)
    }
    return new Tensor(dtype, shape, out as never)
  },
}

/** `chlo.mulhi`. */
export function mulhi(a: Tensor, b: Tensor): Tensor {
  if (isFloat(a.dtype) || a.dtype === 'bool') throw new TypeError(`takes integers [${a.dtype}]`)
  const shape = commonShape([a.shape, b.shape])
  return apply(mulhiOp, [broadcastTo(a, shape), broadcastTo(b, shape)], undefined)
}
