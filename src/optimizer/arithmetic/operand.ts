import type { FloatDType, Shape, Tensor } from '../../tensor/index.js'

/** The elements of a tensor as numbers while a transform computes on them: every value is one of its dtype. */
export interface Decoded {
  readonly dtype: FloatDType
  readonly shape: Shape
  readonly values: Float32Array | Float64Array
  /** Whether the values are a result: nobody else's storage, and NaNs in them not yet canonical. */
  readonly own?: true
}

/**
 * A constant of a formula. A number is weak: it takes the dtype of what it meets. A tensor of one element is strong:
 * it keeps its own, and arithmetic on it rounds to that.
 */
export type Scalar = number | Tensor

/** Whether a scalar is a weak one. */
export function isNumber(s: Scalar): s is number {
  return typeof s === 'number'
}

/** What elementwise operations take: decoded elements, tensors, which are read, and weak numbers. */
export type Operand = Decoded | Scalar
