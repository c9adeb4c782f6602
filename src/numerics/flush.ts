import { abs, apply, checkTensor, type KnownOp, less, mul, type Tensor, where } from '../tensor/index.js'

/** The operation of `flush`. */
export const flushOp: KnownOp = {
  name: 'flush',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x]) => where(less(abs(x!), 2 ** -126), mul(x!, 0), x!),
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
