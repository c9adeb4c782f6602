import { format, formatNames } from '../../formats/index.js'
import type { DType } from '../../tensor/index.js'

/** What errors are measured with: the values of a dtype and the distances between them. */
export interface Grid {
  /** Width of a code: how many bits a NaN counts as wrong. */
  readonly bits: number
  /** Significand bits, the hidden one included. */
  readonly precision: number
  readonly max: number
  /** floor(log2) of the smallest normal value. */
  readonly minExponent: number
}

const native: Readonly<Record<string, Grid>> = {
  float32: { bits: 32, precision: 24, max: (2 - 2 ** -23) * 2 ** 127, minExponent: -126 },
  float64: { bits: 64, precision: 53, max: Number.MAX_VALUE, minExponent: -1022 },
}

const grids = new Map<DType, Grid>()

/** The grid of a floating-point dtype. */
export function gridOf(dtype: DType): Grid {
  let grid = grids.get(dtype)
  if (!grid) {
    const name = formatNames.find((known) => known === dtype)
    grid = name ? format(name) : native[dtype]
    if (!grid) throw new TypeError(`precision: needs a floating-point dtype, cast first [${dtype}]`)
    grids.set(dtype, grid)
  }
  return grid
}

const float64 = new Float64Array(1)
const words = new Uint32Array(float64.buffer)
const upper: number = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** floor(log2 |x|) of a finite number that is not zero. */
export function exponentOf(x: number): number {
  float64[0] = x
  const field = (words[upper]! >>> 20) & 0x7ff
  return field === 0 ? Math.floor(Math.log2(Math.abs(x))) : field - 1023
}

/** The distance between neighbours of the grid at a number. */
export function spacing(x: number, { precision, minExponent, max }: Grid): number {
  const exponent = x === 0 ? minExponent : exponentOf(Math.min(Math.abs(x), max))
  return 2 ** (Math.max(exponent, minExponent) - precision + 1)
}

/** The smallest positive value. */
export function leastOf({ precision, minExponent }: Grid): number {
  return 2 ** (minExponent - precision + 1)
}
