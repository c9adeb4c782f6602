import { type FormatName, format as formatOf } from './catalogue.js'
import { checkCode } from './checkCode.js'
import type { FloatFormat } from './format.js'

/**
 * Total order of codes: negative where `a` comes before `b`, 0 for the same code, positive behind; an argument for sort.
 * IEEE 754's totalOrder: -NaN, -Infinity, negative numbers, -0, +0, positive numbers, Infinity, NaN; signalling NaNs
 * nearer to the numbers than quiet ones.
 *
 * Special   the one NaN of a format without negative zero has no sign and comes last; unsigned: the order of the codes.
 *
 * @example compareCodes(0x8000, 0x0000, 'bfloat16') < 0 // true
 * @example [0x80, 0x7f, 0x00, 0xff].sort((a, b) => compareCodes(a, b, 'float8_e5m2fnuz')) // [0xff, 0x00, 0x7f, 0x80]
 */
export function compareCodes(a: number, b: number, format: FormatName | FloatFormat): number {
  const record = formatOf(format)
  checkCode('compareCodes', a, record)
  checkCode('compareCodes', b, record)
  return totalOrderIndex(a, record) - totalOrderIndex(b, record)
}

/** Place of a code in the total order: +0 is 0, -0 is -1, and every other code has a place of its own too. */
export function totalOrderIndex(code: number, format: FloatFormat): number {
  const { nan, signMask, magnitudeMask } = format
  if (nan === 'negative-zero' && code === signMask) return magnitudeMask + 1
  return (code & signMask) === 0 ? code : -1 - (code & magnitudeMask)
}

/** The code at a place, which must be one: undoes `totalOrderIndex`. */
export function codeAt(index: number, format: FloatFormat): number {
  if (index > format.magnitudeMask) return format.signMask
  return index < 0 ? format.signMask + (-1 - index) : index
}
