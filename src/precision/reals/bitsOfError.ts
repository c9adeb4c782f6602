import type { DTypeFacts } from '../../tensors/tensor/index.js'
import { exponentOf } from '../program/spacing.js'
import { exponentOf as exponentOfBig, minus, plus, type Real, realOf, toFloat64 } from './real.js'

/**
 * The place of a number in the order of a grid's values: a whole number where it is one of them, in between where it is
 * not. Infinity is one step past the largest value, and nothing lies further out.
 */
export function place(x: number, grid: DTypeFacts): number {
  if (x === 0) return 0
  const size = Math.abs(x)
  const end = placeOfMagnitude(grid.max, grid) + 1
  const at = size > grid.max * 2 ? end : Math.min(end, placeOfMagnitude(size, grid))
  return x < 0 ? -at : at
}

function placeOfMagnitude(x: number, { precision, minExponent }: DTypeFacts): number {
  const e = exponentOf(x)
  // Doubled exponents would overflow at the end of float64, so that power is split.
  const scale = precision - 1 - Math.max(e, minExponent)
  const fraction = x * 2 ** Math.trunc(scale / 2) * 2 ** (scale - Math.trunc(scale / 2))
  return e < minExponent ? fraction : (e - minExponent) * 2 ** (precision - 1) + fraction
}

/** log2(places apart + 1); a NaN instead of a number is wrong in every bit. */
export function bitsApart(got: number, exact: number, grid: DTypeFacts): number {
  if (Number.isNaN(got) || Number.isNaN(exact)) return Object.is(got, exact) ? 0 : grid.bits
  if (got === exact) return 0
  return Math.log1p(placesApart(got, exact, grid)) * Math.LOG2E
}

function placesApart(a: number, b: number, grid: DTypeFacts): number {
  const close = a > 0 === b > 0 && a !== 0 && b !== 0 && Math.abs(a) <= grid.max && Math.abs(b) <= grid.max
  const e = close ? exponentOf(a) : 0
  // In one binade the difference is taken before anything is scaled: places near 2^31 have few bits left for fractions.
  if (close && e === exponentOf(b)) {
    const scale = grid.precision - 1 - Math.max(e, grid.minExponent)
    return Math.abs(a - b) * 2 ** Math.trunc(scale / 2) * 2 ** (scale - Math.trunc(scale / 2))
  }
  return Math.abs(place(a, grid) - place(b, grid))
}

/** The same for real numbers, which may lie anywhere between float64's. */
export function bitsApartReal(got: Real, exact: Real, grid: DTypeFacts): number {
  if (Number.isNaN(got) || Number.isNaN(exact)) return Object.is(got, exact) ? 0 : grid.bits
  const apart = toFloat64(minus(placeReal(got, grid), placeReal(exact, grid)))
  return Math.log1p(Math.abs(apart)) * Math.LOG2E
}

function placeReal(x: Real, grid: DTypeFacts): Real {
  if (x === 0) return 0
  const end = place(Number.POSITIVE_INFINITY, grid)
  if (typeof x === 'number') return realOf(Math.sign(x) * end)
  const { precision, minExponent } = grid
  const e = exponentOfBig(x)
  const sign = x.m < 0n ? -1 : 1
  if (e > 1100) return realOf(sign * end)
  const fraction: Real = { m: x.m, e: x.e + precision - 1 - Math.max(e, minExponent) }
  const whole = realOf(sign * Math.max(0, e - minExponent) * 2 ** (precision - 1))
  const at = plus(fraction, whole)
  return Math.abs(toFloat64(at)) > end ? realOf(sign * end) : at
}
