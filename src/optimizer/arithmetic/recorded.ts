import type { Expression } from '../../compile/index.js'
import {
  apply,
  cast,
  type FloatDType,
  isSealed,
  isWatched,
  reshape,
  type Shape,
  sameShape,
  Tensor,
  untraced,
  wideDType,
} from '../../tensor/index.js'
import { floatOf } from './floatOf.js'
import type { Decoded, Operand } from './operand.js'

/** A value that is the result of recorded operations: compile, a gradient or the precision doctor sees how it was made. */
export class Recorded implements Decoded {
  readonly tensor: Tensor
  readonly dtype: FloatDType
  readonly shape: Shape
  /** Whether subnormal float32 numbers among the elements are known to be zeros. */
  readonly flushed: boolean

  constructor(tensor: Tensor, flushed = false) {
    this.tensor = tensor
    this.flushed = flushed
    this.dtype = floatOf(tensor.dtype)
    this.shape = tensor.shape
  }

  get values(): Float32Array | Float64Array {
    const { tensor, dtype } = this
    if (tensor.trace && !isSealed(tensor) && !isWatched()) {
      throw new TypeError(
        `optimizer: this transform looks at elements, so that no gradient goes through it; hand it untraced tensors [${dtype}]`,
      )
    }
    return cast(untraced(tensor), wideDType(dtype)).data
  }
}

/** Whether what is computed from some operands is to be done by tensor operations, for somebody sees how it was made. */
export function areRecorded(...operands: readonly Operand[]): boolean {
  if (isWatched()) return true
  for (const x of operands) {
    if (x instanceof Recorded || (x instanceof Tensor && x.trace !== undefined)) return true
  }
  return false
}

/** What an expression says, done by its operations now. */
export function perform(x: Expression): Tensor {
  return 'tensor' in x ? x.tensor : apply(x.op, x.inputs.map(perform), x.attributes)
}

/** The same elements in a shape. */
export function inShape(x: Tensor, shape: Shape): Tensor {
  return sameShape(x.shape, shape) ? x : reshape(x, shape)
}
