import { type DType, type FloatDType, isFloat } from '../../tensor/index.js'

/** A dtype that an optimizer can compute in; a TypeError for any other. */
export function floatOf(dtype: DType): FloatDType {
  if (!isFloat(dtype)) throw new TypeError(`optimizer: needs a floating-point dtype, cast first [${dtype}]`)
  return dtype
}
