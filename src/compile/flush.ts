import { abs, type KnownOp, less, mul, where } from '../tensor/index.js'

/** The operation that makes zeros of subnormal float32 numbers, signs kept: what XLA's CPU backend does before and after its own. */
export const flushOp: KnownOp = {
  name: 'flush',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x]) => where(less(abs(x!), 2 ** -126), mul(x!, 0), x!),
}
