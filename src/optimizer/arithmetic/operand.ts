import { cast, type DType, type FloatDType, isFloat, type Tensor } from '../../tensors/tensor/index.js'

/**
 * A constant of a formula. A number is weak: it takes the dtype of what it meets. A tensor of one element is strong:
 * it keeps its own, and arithmetic on it rounds to that.
 */
export type Scalar = number | Tensor

/** What elementwise operations take: tensors and weak numbers. */
export type Operand = Scalar

/** Whether a scalar is a weak one. */
export function isNumber(s: Scalar): s is number {
  return typeof s === 'number'
}

/** A dtype that an optimizer can compute in; a TypeError for any other. */
export function floatOf(dtype: DType): FloatDType {
  if (!isFloat(dtype)) throw new TypeError(`optimizer: needs a floating-point dtype, cast first [${dtype}]`)
  return dtype
}

/** The dtype in which two meet: the same, else float64 if one is, else float32. */
export function promote(a: FloatDType, b: FloatDType): FloatDType {
  if (a === b) return a
  return a === 'float64' || b === 'float64' ? 'float64' : 'float32'
}

/** The tensor cast to a dtype, itself where it has it or none is given. */
export function inDtype(x: Tensor, dtype: FloatDType | undefined): Tensor {
  return dtype === undefined || x.dtype === dtype ? x : cast(x, dtype)
}
