import { apply } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'

/** The operation of `flush`. */
export const flushOp: KnownOp = {
  name: 'flush',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x]) => {
    const { dtype, shape, data } = x as Tensor<'float32' | 'float64'>
    const out = data.slice()
    if (out instanceof Float32Array) flushCodes(new Uint32Array(out.buffer))
    else for (const [i, value] of out.entries()) if (Math.abs(value) < 2 ** -126) out[i] = value * 0
    return new Tensor(dtype, shape, out)
  },
}

/** Of numbers whose exponent is 0, which are subnormal or zero, only the sign stays. */
function flushCodes(codes: Uint32Array): void {
  for (let i = 0; i < codes.length; i++) if ((codes[i]! & 0x7f800000) === 0) codes[i]! &= 0x80000000
}

/**
 * Zeros in the place of subnormal float32 numbers, signs kept: what XLA's CPU backend does before and after its own operations.
 *
 * Shape     kept. Dtype float32, or float64 for the same bound there. Special NaN and Inf stay.
 *
 * @example flush(tensor([1e-40, 2])).toNested() // [0, 2]
 */
export function flush(x: Tensor<'float32'>): Tensor<'float32'> {
  checkTensor('flush', x)
  return apply(flushOp, [x], undefined) as Tensor<'float32'>
}
