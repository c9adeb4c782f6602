import { weak } from './create.js'
import type { DType } from './dtype.js'
import type { KnownOp } from './tensor.js'

/** A plain number that stood beside tensors. */
export interface Constant {
  readonly value: number
  readonly dtype: DType
}

/**
 * The record of a plain number that its dtype could not hold, so that it was rounded: 0.999 is 1 in bfloat16. It has no
 * operands, and is made where everything is recorded.
 */
export const constantOp: KnownOp<Constant> = {
  name: 'constant',
  form: 'whole',
  rounds: 'once',
  kernel: (_, { value, dtype }) => weak('constant', value, dtype),
}
