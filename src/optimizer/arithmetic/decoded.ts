import { canonicalizeNaN, cast, type FloatDType, isFloat, type Shape, Tensor } from '../../tensor/index.js'

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

/** The values of a tensor: its own storage where that holds numbers, decoded where it holds codes. */
export function decodedOf(x: Tensor): Decoded {
  const { dtype, shape } = x
  if (!isFloat(dtype)) throw new TypeError(`optimizer: needs a floating-point dtype, cast first [${dtype}]`)
  const wide = dtype === 'float64' ? x : cast(x, 'float32')
  return { dtype, shape, values: wide.data as Float32Array | Float64Array }
}

/** A tensor of decoded elements, in their dtype or cast to another. */
export function tensorOf(x: Decoded, dtype: FloatDType = x.dtype): Tensor {
  if (x.own) canonicalizeNaN(x.values)
  const wide: FloatDType = x.values instanceof Float32Array ? 'float32' : 'float64'
  return cast(new Tensor(wide, x.shape, x.values), dtype)
}

/** Room for values of a dtype: float64 keeps float64, everything below fits in float32. */
export function valuesFor(dtype: FloatDType, n: number): Float32Array | Float64Array {
  return dtype === 'float64' ? new Float64Array(n) : new Float32Array(n)
}

/** The dtype in which two meet: the same, else float64 if one is, else float32. */
export function promote(a: FloatDType, b: FloatDType): FloatDType {
  if (a === b) return a
  return a === 'float64' || b === 'float64' ? 'float64' : 'float32'
}
