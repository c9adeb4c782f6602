import { checkNumber } from '../../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  checkTensor,
  type FloatDType,
  isFloat,
  type Order,
  type Tensor,
  wideDType,
} from '../../../tensors/tensor/index.js'

/** What layerNorm and rmsNorm have in common. */
export interface NormKernelOptions {
  /** Multiplied with, one number for each element along the last axis. Default: none. */
  readonly scale?: Tensor
  /** Added under the root, rounded to `internal` first. */
  readonly eps?: number
  /**
   * The dtype of every step, rounded from there once. Default 'float32' ('float64' for float64), as kernels have it; the dtype
   * of x itself rounds op by op.
   */
  readonly internal?: FloatDType
  /** The order of the sums. Default 'sequential'. */
  readonly order?: Order
}

/** x and a parameter in the dtype of the steps. */
export interface Inside {
  readonly x: Tensor
  readonly internal: FloatDType
  /** A parameter, in the internal dtype; undefined where none is given. */
  readonly parameter: (name: string, value: Tensor | undefined) => Tensor | undefined
}

/** Checks what both norms take, and casts it. */
export function normInside(op: string, x: Tensor, { eps, internal: given }: NormKernelOptions): Inside {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${x.dtype}]`)
  if (x.rank === 0) throw new RangeError(`${op}: needs one dimension or more [a number]`)
  if (eps !== undefined) checkNumber(op, 'eps', eps, 0)
  const internal = given ?? wideDType(x.dtype)
  checkFloatDType(op, 'internal', internal)
  const n = x.shape.at(-1)!
  const parameter = (name: string, value: Tensor | undefined): Tensor | undefined => {
    if (value === undefined) return undefined
    checkTensor(op, value)
    if (value.dtype !== x.dtype && value.dtype !== internal) {
      throw new TypeError(`${op}: ${name} has another dtype than x, cast it [${value.dtype} and ${x.dtype}]`)
    }
    if (value.rank !== 1 || value.size !== n) {
      throw new RangeError(
        `${op}: ${name} is not one number for each of ${n} elements [${value.shape.join(', ')}]`,
      )
    }
    return cast(value, internal)
  }
  return { x: cast(x, internal), internal, parameter }
}
