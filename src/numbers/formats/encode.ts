import { shown } from '../../base/options/index.js'
import { type FormatName, format as formatOf } from './catalogue.js'
import { type FloatFormat, magnitudeValue } from './format.js'
import {
  type EncodeOptions,
  overflowStaysFinite,
  type RoundingRule,
  roundingRule,
  roundsUp,
} from './rounding.js'

/**
 * The code of one number in any format (`bf16.encode` takes arrays): one rounding, straight from float64.
 *
 * Rounding  nearest even, or as `rounding` says; the exponent is unlimited above while rounding.
 * Special   NaN: the canonical NaN, sign 0. Overflow and infinities: infinity, where there is none NaN, where
 *           there is neither the largest finite value; with `saturate` always that. Directed away from it,
 *           and in 'toward-zero' and 'to-odd', finite overflow is the largest finite value.
 *           No NaN in the format: NaN gives -0. No negative zero: -0 and negative underflow give +0.
 *           Unsigned: negatives give NaN. No zero: zero gives NaN, positive underflow the smallest value.
 * Cost      about 50 ns; loops take `encoder`.
 * Source    conventions of ml_dtypes 0.6.0; where its float8_e8m0fnu takes values in (2^-127, 1.5 * 2^-127) to
 *           2^-126, this takes the nearest, 2^-127.
 *
 * @example encode(1 + 2 ** -8 + 2 ** -40, 'bfloat16') // 16257
 * @example encode(1e6, 'float8_e5m2', { saturate: true }) // 123
 */
export function encode(value: number, format: FormatName | FloatFormat, options?: EncodeOptions): number {
  return encodeByRule(value, formatOf(format), roundingRule(options))
}

/** `encode` with its format looked up and its options checked. */
export function encodeByRule(value: number, format: FloatFormat, rule: RoundingRule): number {
  if (typeof value !== 'number') throw new TypeError(`encode: value is not a number [${shown(value)}]`)
  const word = rule.random()
  if (Number.isNaN(value)) return nanCode(false, format)
  const negative = value < 0 || Object.is(value, -0)
  if (negative && !format.signed && value !== 0) return nanCode(false, format)
  if (value === 0) return zeroCode(negative, format)

  const sign = negative ? format.signMask : 0
  const magnitude = Math.abs(value)
  if (magnitude === Infinity) return overflowCode(sign, format, rule)

  const lower = lowerCode(magnitude, format)
  const low = magnitudeValue(lower, format)
  const fraction = Math.max(0, (magnitude - low) / (magnitudeValue(lower + 1, format) - low))
  const up = roundsUp(fraction, lower, negative, word, rule.rounding, format)
  const code = up ? lower + 1 : lower
  if (code === 0) return format.zero ? zeroCode(negative, format) : 0
  if (code <= format.maxCode) return sign + code
  if (overflowStaysFinite(rule.rounding, negative)) return sign + format.maxCode
  return overflowCode(sign, format, rule)
}

/** NaN's code, with its sign where the format can hold it. */
export function nanCode(negative: boolean, format: FloatFormat): number {
  // Formats without NaN: ml_dtypes makes it a zero of the opposite sign.
  if (format.canonicalNaN === null) return negative ? 0 : format.signMask
  if (format.nan === 'negative-zero' || !negative) return format.canonicalNaN
  return format.canonicalNaN + format.signMask
}

function zeroCode(negative: boolean, format: FloatFormat): number {
  if (!format.zero) return format.canonicalNaN ?? 0
  return negative && format.negativeZero ? format.signMask : 0
}

function overflowCode(sign: number, format: FloatFormat, rule: RoundingRule): number {
  if (rule.saturate) return sign + format.maxCode
  if (format.infinityCode !== null) return sign + format.infinityCode
  return format.canonicalNaN === null ? sign + format.maxCode : nanCode(sign !== 0, format)
}

/** The largest code not above a positive magnitude, 0 if there is none; codes go on past the largest finite one. */
function lowerCode(magnitude: number, format: FloatFormat): number {
  if (format.subnormals && magnitude < format.minNormal) {
    return Math.floor(magnitude * 2 ** (format.bias - 1 + format.mantissaBits))
  }
  const exponent = floorLog2(magnitude)
  const mantissa = Math.floor((magnitude / 2 ** exponent - 1) * 2 ** format.mantissaBits)
  return Math.max(0, (exponent + format.bias) * 2 ** format.mantissaBits + mantissa)
}

const float64 = new Float64Array(1)
const words = new Uint32Array(float64.buffer)

/**
 * Exponent of a positive normal float64, the floor of its log2; -1023 for the subnormals, which are below every format.
 *
 * @example floorLog2(0.75) // -1
 */
export function floorLog2(magnitude: number): number {
  float64[0] = magnitude
  return (words[1]! >>> 20) - 1023
}
