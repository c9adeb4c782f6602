import { decode, type EncodeOptions, encode, encoder, rounder } from '../numbers/formats/index.js'

const nearest: (x: number) => number = encoder('bfloat16')
const roundNearest: (x: number) => number = rounder('bfloat16')

/**
 * The bfloat16 code of a number, straight from float64.
 *
 * Rounding  once, nearest even or as `options` say.
 * Special   NaN: 0x7FC0. Overflow: infinity, or with `saturate` the largest finite value.
 *
 * @example fromNumber(1 + 2 ** -8 + 2 ** -40) // 16257
 */
export function fromNumber(x: number, options?: EncodeOptions): number {
  return options === undefined ? nearest(x) : encode(x, 'bfloat16', options)
}

/**
 * The value of a bfloat16 code, exact.
 *
 * @example toNumber(0x3f81) // 1.0078125
 */
export function toNumber(code: number): number {
  return decode(code, 'bfloat16')
}

/**
 * The bfloat16 value nearest to a number, ties to even: `toNumber(fromNumber(x))`. Not `rint`.
 *
 * @example round(256 + 1) // 256
 */
export function round(x: number): number {
  return roundNearest(x)
}
