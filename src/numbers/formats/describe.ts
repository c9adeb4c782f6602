import { type FormatName, format as formatOf } from './catalogue.js'
import { checkCode } from './checkCode.js'
import { decode } from './decode.js'
import type { FloatFormat } from './format.js'

/** What kind of value a code has. */
export type CodeClass = 'zero' | 'subnormal' | 'normal' | 'infinity' | 'nan'

/** A code taken apart. */
export interface CodeDescription {
  readonly code: number
  /** The code in binary, its fields apart: '0 01111111 0000001'; an unsigned format has no sign field. */
  readonly bits: string
  /** The sign bit; 0 in an unsigned format. */
  readonly sign: 0 | 1
  /** The exponent field as it is stored. */
  readonly exponent: number
  /** The mantissa field as it is stored. */
  readonly mantissa: number
  readonly class: CodeClass
  /** A NaN of IEEE's kind whose quiet bit, the first of the mantissa, is 0. */
  readonly signalling: boolean
  /** The magnitude is significand * 2^power; in [1, 2) for a normal number. Null for infinities and NaN, as is power. */
  readonly significand: number | null
  readonly power: number | null
  readonly value: number
}

/**
 * A code taken apart: its fields, its class, its value.
 *
 * Special   the sign bit of a NaN is given as it is, though the fnuz formats' one NaN has no sign.
 *
 * @example describe(0x3f81, 'bfloat16').bits // 0 01111111 0000001
 * @example describe(0x01, 'float8_e4m3fn').class // subnormal
 * @example [describe(0xc5, 'float8_e4m3fn').significand, describe(0xc5, 'float8_e4m3fn').power] // [1.625, 1]
 * @example describe(0x7d, 'float8_e5m2').signalling // true
 */
export function describe(code: number, format: FormatName | FloatFormat): CodeDescription {
  const record = formatOf(format)
  checkCode('describe', code, record)
  const { exponentBits, mantissaBits, signMask, magnitudeMask, bias, subnormals } = record
  const magnitude = code & magnitudeMask
  const exponent = Math.floor(magnitude / 2 ** mantissaBits)
  const mantissa = magnitude % 2 ** mantissaBits
  const value = decode(code, record)
  const kind = classOf(magnitude, value, record)
  const fraction = mantissa / 2 ** mantissaBits
  // Exponent field 0 of a format with subnormals counts as 1, without the hidden bit.
  const hidden = kind === 'zero' || kind === 'subnormal' ? 0 : 1
  return {
    code,
    bits: fields(code, record.signed ? [1, exponentBits, mantissaBits] : [exponentBits, mantissaBits]),
    sign: (code & signMask) === 0 ? 0 : 1,
    exponent,
    mantissa,
    class: kind,
    signalling: kind === 'nan' && record.nan === 'ieee' && fraction < 0.5,
    significand: Number.isFinite(value) ? hidden + fraction : null,
    power: Number.isFinite(value) ? Math.max(exponent, subnormals ? 1 : 0) - bias : null,
    value,
  }
}

function classOf(magnitude: number, value: number, format: FloatFormat): CodeClass {
  if (Number.isNaN(value)) return 'nan'
  if (magnitude === format.infinityCode) return 'infinity'
  if (value === 0) return 'zero'
  return Math.abs(value) < format.minNormal ? 'subnormal' : 'normal'
}

/** A code in binary, cut into fields of these widths, the last one at the right; empty fields are left out. */
function fields(code: number, widths: readonly number[]): string {
  const digits = code.toString(2).padStart(
    widths.reduce((sum, width) => sum + width, 0),
    '0',
  )
  const parts: string[] = []
  let at = 0
  for (const width of widths) {
    if (width > 0) parts.push(digits.slice(at, at + width))
    at += width
  }
  return parts.join(' ')
}

/**
 * The codes of a format as text, one line each under a heading: code, bits, class, value, and how the value is made.
 *
 * @param from first code, default 0
 * @param to code after the last one, default all
 *
 * @example codeTable('float4_e2m1fn').split('\n')[2] // 0x1  0 00 1  subnormal  0.5    0.5 * 2^0
 * @example codeTable('float8_e4m3fn', 0x7e, 0x80).split('\n')[1] // 0x7e  0 1111 110  normal  448    1.75 * 2^8
 */
export function codeTable(
  format: FormatName | FloatFormat,
  from: number = 0,
  to: number = 2 ** formatOf(format).bits,
): string {
  const record = formatOf(format)
  checkCode('codeTable', from, record)
  checkCode('codeTable', to - 1, record)
  const digits = Math.ceil(record.bits / 4)
  const rows = [['code', 'bits', 'class', 'value', '']]
  for (let code = from; code < to; code++) {
    const { bits, class: kind, signalling, significand, power, value } = describe(code, record)
    const made = significand === null || kind === 'zero' ? '' : `${significand} * 2^${power}`
    rows.push([
      `0x${code.toString(16).padStart(digits, '0')}`,
      bits,
      signalling ? 'signalling nan' : kind,
      Object.is(value, -0) ? '-0' : String(value),
      value < 0 && made !== '' ? `-${made}` : made,
    ])
  }
  const widths = rows.reduce(
    (most, row) => most.map((width, column) => Math.max(width, row[column]!.length)),
    [0, 0, 0, 0, 0],
  )
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
