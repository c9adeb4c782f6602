import { type FormatName, format as formatOf } from './catalogue.js'
import { encodeByRule } from './encode.js'
import type { FloatFormat } from './format.js'
import { modeEncoder } from './modeEncoder.js'
import { type EncodeOptions, type RoundingRule, roundingRule } from './rounding.js'

// Scratch for bit casts; word 1 is the upper half on every platform JavaScript runs on in practice.
const float64 = new Float64Array(1)
const words = new Uint32Array(float64.buffer)

/** Adding and subtracting it rounds a float64 below 2^51 to an integer, ties to even. */
const integerShift = 1.5 * 2 ** 52

/**
 * `encode` as a function of the value alone, for loops.
 *
 * Rounding, Special  as `encode`, its reference.
 * Cost      nearest even: about 3 ns per value; the other modes 10, formats without sign or subnormals 50.
 *
 * @example encoder('bfloat16')(1 / 3) // 16043
 */
export function encoder(
  format: FormatName | FloatFormat,
  options?: EncodeOptions,
): (value: number) => number {
  return encoderByRule(formatOf(format), roundingRule(options))
}

/** Whether a format has what the fast encoders take for granted. */
export function isUsual({ subnormals, signed, mantissaBits }: FloatFormat): boolean {
  return subnormals && signed && mantissaBits > 0
}

/** `encoder` with its format looked up and its options checked. */
export function encoderByRule(format: FloatFormat, rule: RoundingRule): (value: number) => number {
  if (!isUsual(format)) return (value) => encodeByRule(value, format, rule)
  if (rule.rounding === 'nearest-even') return nearestEven(format, rule)
  const one = modeEncoder(format, rule, 1)
  return (value) => {
    one.values[0] = value
    one.run(1)
    return one.codes[0]!
  }
}

function nearestEven(record: FloatFormat, rule: RoundingRule): (value: number) => number {
  const { mantissaBits, bias, signMask, minNormal, max, negativeZero } = record
  const shift = 20 - mantissaBits
  const half = 2 ** (shift - 1) - 1
  const rebias = (1023 - bias) * 2 ** mantissaBits
  const signShift = 32 - record.bits
  const subnormalScale = 2 ** (bias - 1 + mantissaBits)
  const [overflow, negativeOverflow] = [
    encodeByRule(Infinity, record, rule),
    encodeByRule(-Infinity, record, rule),
  ]
  const nan = encodeByRule(Number.NaN, record, rule)
  return (value) => {
    const magnitude = Math.abs(value)
    if (magnitude >= minNormal && magnitude <= max) {
      float64[0] = value
      const high = words[1]!
      // Below a tie nothing carries; at the tie the odd bit does, and above it a bit of the lower word.
      const carry = ((high >>> shift) & 1) | (words[0]! === 0 ? 0 : 1)
      const code = (((high & 0x7fffffff) + half + carry) >>> shift) - rebias
      return code | ((high >>> signShift) & signMask)
    }
    if (magnitude < minNormal) {
      const code = magnitude * subnormalScale + integerShift - integerShift
      if (code !== 0) return value < 0 ? code + signMask : code
      return negativeZero && (value < 0 || Object.is(value, -0)) ? signMask : 0
    }
    if (magnitude > 2 * max) return value > 0 ? overflow : negativeOverflow
    return magnitude > max ? encodeByRule(value, record, rule) : nan
  }
}
