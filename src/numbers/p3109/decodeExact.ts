import { checkInteger } from '../../base/options/index.js'
import { dyadic, type Exact, infinity, nan, negate, negativeInfinity } from './exact.js'
import { checkType, type P3109Type } from './p3109Type.js'

/**
 * The value of a code, exact: of every type, also those with numbers that no float64 holds.
 *
 * Throws  RangeError for what is no code of the type.
 * Source  IEEE P3109/D1, section 4.7.2.
 *
 * @example decodeExact(0x41, p3109Type(8, 4)) // { kind: 'finite', sign: 1, numerator: 9n, denominator: 1n, exponent: -3 }
 * @example decodeExact(0xfffd, p3109Type(16, 1, { signed: false })).exponent // 32765
 */
export function decodeExact(code: number, type: P3109Type): Exact {
  return exactValue('decodeExact', code, type)
}

/** `decodeExact` in another function's words. */
export function exactValue(op: string, code: number, type: P3109Type): Exact {
  checkType(op, type)
  checkInteger(op, 'code', code, 0, 2 ** type.bits - 1)
  if (code === type.nan) return nan
  if (code === type.positiveInfinity) return infinity
  if (code === type.negativeInfinity) return negativeInfinity
  if (type.signed && code > type.nan) return negate(exactValue(op, code - type.nan, type))
  const scale = 2 ** (type.precision - 1)
  const field = Math.floor(code / scale)
  const significand = field === 0 ? code : (code % scale) + scale
  return dyadic(BigInt(significand), Math.max(field, 1) - type.bias - type.precision + 1)
}
