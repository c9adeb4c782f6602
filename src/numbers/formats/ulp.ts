import { shown } from '../../base/options/index.js'
import { type FormatName, format as formatOf } from './catalogue.js'
import { decode } from './decode.js'
import { encodeByRule, floorLog2 } from './encode.js'
import type { FloatFormat } from './format.js'
import { roundingRule } from './rounding.js'

/**
 * Place of a code in the order of values: an integer, neighbours differ by 1, both zeros are 0.
 *
 * Special   infinities lie one past the largest finite codes; NaN codes have no place: NaN.
 *
 * @example orderIndex(0x8001, 'bfloat16') // -1
 */
export function orderIndex(code: number, format: FormatName | FloatFormat): number {
  const record = formatOf(format)
  if (Number.isNaN(decode(code, record))) return Number.NaN
  const magnitude = code & record.magnitudeMask
  return (code & record.signMask) === 0 || magnitude === 0 ? magnitude : -magnitude
}

/**
 * Distance between the format's values around a number: 2^(floor(log2 |value|) - mantissaBits), in the range of
 * exponents that the format has.
 *
 * Special   zero and underflow: the smallest positive value. Past the largest value: the spacing below it.
 *           NaN and infinities: NaN, as numpy.spacing.
 *
 * @example ulp(256, 'bfloat16') // 2
 */
export function ulp(value: number, format: FormatName | FloatFormat): number {
  const { mantissaBits, minNormal, minPositive, max } = formatOf(format)
  if (typeof value !== 'number') throw new TypeError(`ulp: value is not a number [${shown(value)}]`)
  const magnitude = Math.abs(value)
  if (!(magnitude < Infinity)) return Number.NaN
  if (magnitude < minNormal) return minPositive
  return 2 ** (floorLog2(Math.min(magnitude, max)) - mantissaBits)
}

const downward = roundingRule({ rounding: 'down', saturate: true })
const upward = roundingRule({ rounding: 'up', saturate: true })
const nearest = roundingRule(undefined)

/**
 * The least value of the format above a number, which need not be one of its values.
 *
 * Special   past the largest finite value: infinity, or that value where there is none. From the negative value
 *           nearest zero: -0 where the format has it. NaN: NaN.
 *
 * @example nextUp(1, 'bfloat16') // 1.0078125
 */
export function nextUp(value: number, format: FormatName | FloatFormat): number {
  const record = formatOf(format)
  if (Number.isNaN(value)) return Number.NaN
  if (value < record.lowest) return record.lowest
  if (value >= record.max) return record.infinity ? Infinity : record.max
  return decode(stepped(encodeByRule(value, record, downward), 1, record), record)
}

/**
 * The greatest value of the format below a number, which need not be one of its values.
 *
 * Special   mirrors `nextUp`; an unsigned format ends at its smallest value.
 *
 * @example nextDown(1, 'bfloat16') // 0.99609375
 */
export function nextDown(value: number, format: FormatName | FloatFormat): number {
  const record = formatOf(format)
  if (Number.isNaN(value)) return Number.NaN
  if (value > record.max) return record.max
  if (value <= record.lowest) return record.signed && record.infinity ? -Infinity : record.lowest
  return decode(stepped(encodeByRule(value, record, upward), -1, record), record)
}

function stepped(code: number, step: 1 | -1, format: FloatFormat): number {
  const index = orderIndex(code, format)
  const next = index + step
  if (next === 0) return index < 0 && format.negativeZero ? format.signMask : 0
  return next < 0 ? format.signMask - next : next
}

/**
 * How many ulps of the format lie between two numbers, each first rounded to it; `ulpDistance` of numerics takes tensors.
 *
 * Special   both zeros are one place; NaN to NaN is 0, NaN to a number Infinity; an infinity is Infinity away
 *           from everything but itself.
 *
 * @example ulpDistance(1, 1.0234375, 'bfloat16') // 3
 */
export function ulpDistance(a: number, b: number, format: FormatName | FloatFormat): number {
  const record = formatOf(format)
  const first = encodeByRule(a, record, nearest)
  const second = encodeByRule(b, record, nearest)
  const from = decode(first, record)
  const to = decode(second, record)
  if (Object.is(from, to)) return 0
  if (!Number.isFinite(from) || !Number.isFinite(to)) return Infinity
  return Math.abs(orderIndex(first, record) - orderIndex(second, record))
}
