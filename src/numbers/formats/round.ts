import { type FormatName, format as formatOf } from './catalogue.js'
import { decode, decodeTable } from './decode.js'
import { encode, encodeByRule } from './encode.js'
import { encoderByRule, isUsual } from './encoder.js'
import type { FloatFormat } from './format.js'
import { type EncodeOptions, roundingRule } from './rounding.js'

/**
 * The value that a number has in a format: `decode(encode(value))`.
 *
 * Rounding, Special  as `encode`.
 *
 * @example round(0.999, 'bfloat16') // 1
 * @example round(257, 'bfloat16', { rounding: 'up' }) // 258
 */
export function round(value: number, format: FormatName | FloatFormat, options?: EncodeOptions): number {
  const record = formatOf(format)
  return decode(encode(value, record, options), record)
}

// Scratch for bit casts; word 1 is the upper half on every platform JavaScript runs on in practice.
const float64 = new Float64Array(1)
const words = new Uint32Array(float64.buffer)

/** 1.5 * 2^(i - 1023): adding and subtracting one rounds to a multiple of its ulp, ties to even. */
const shifters: Float64Array = Float64Array.from({ length: 2046 }, (_, i) => 1.5 * 2 ** (i - 1023))

/**
 * `round` as a function of the value alone, for loops.
 *
 * Rounding, Special  as `round`, its reference.
 * Cost      nearest even: under 10 ns per value; the other modes as `encoder`, and a look-up.
 *
 * @example rounder('bfloat16')(1 / 3) // 0.333984375
 */
export function rounder(
  format: FormatName | FloatFormat,
  options?: EncodeOptions,
): (value: number) => number {
  const record = formatOf(format)
  const rule = roundingRule(options)
  if (rule.rounding !== 'nearest-even' || !isUsual(record)) {
    const encodeOne = encoderByRule(record, rule)
    const table = decodeTable(record)
    return (value) => table[encodeOne(value)]!
  }
  const { mantissaBits, bias, max, negativeZero } = record
  const lowestExponent = 1023 + 1 - bias
  const [nan, overflow, negativeOverflow] = [Number.NaN, Infinity, -Infinity].map((value) =>
    decode(encodeByRule(value, record, rule), record),
  ) as [number, number, number]
  return (value) => {
    if (value <= max && value >= -max) {
      float64[0] = value
      // The format's spacing at the value, which below the normal range is that of the subnormals.
      const exponent = (words[1]! >>> 20) & 0x7ff
      const shifter = shifters[(exponent < lowestExponent ? lowestExponent : exponent) + 52 - mantissaBits]!
      const rounded = value + shifter - shifter
      if (rounded !== 0) return rounded
      return negativeZero && (value < 0 || Object.is(value, -0)) ? -0 : 0
    }
    // A run that went NaN or infinite is full of these.
    if (Number.isNaN(value)) return nan
    if (value > 2 * max) return overflow
    if (value < -2 * max) return negativeOverflow
    return decode(encodeByRule(value, record, rule), record)
  }
}
