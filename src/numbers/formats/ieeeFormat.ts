import { checkInteger } from '../../base/options/index.js'
import { defineFormat, type FloatFormat } from './format.js'

/**
 * A format of IEEE 754's kind from its two parameters: infinities, NaN of either sign, signed zeros, subnormals.
 * bfloat16 is (8, 127), float16 (11, 15), float8_e5m2 (3, 15), TensorFloat would be (11, 127), 19 bits and too wide.
 *
 * @param precision significand bits, the hidden one included, from 2 up
 * @param maxExponent exponent of the largest finite value, 2^n - 1, which is the bias too
 *
 * @example ieeeFormat(8, 127).max === format('bfloat16').max // true
 * @example ieeeFormat(5, 7).bits // 9
 * @example ieeeFormat(4, 6) // throws ieeeFormat: maxExponent is not 2^n - 1 with n from 1 up [6]
 */
export function ieeeFormat(
  precision: number,
  maxExponent: number,
  name: string = `binary_p${precision}_e${maxExponent}`,
): FloatFormat {
  checkInteger('ieeeFormat', 'maxExponent', maxExponent, 1)
  if (!Number.isInteger(precision) || precision < 2) {
    throw new RangeError(`ieeeFormat: precision is not an integer from 2 up [${String(precision)}]`)
  }
  const exponentBits = Math.log2(maxExponent + 1) + 1
  if (!Number.isInteger(exponentBits) || exponentBits < 2) {
    throw new RangeError(`ieeeFormat: maxExponent is not 2^n - 1 with n from 1 up [${maxExponent}]`)
  }
  return defineFormat({
    name,
    exponentBits,
    mantissaBits: precision - 1,
    bias: maxExponent,
    nan: 'ieee',
    infinity: true,
  })
}
