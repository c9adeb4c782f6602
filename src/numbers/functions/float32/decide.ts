import { at, type int } from './numbers.js'

/** Nearest integer of |x| < 2^51, ties to even. */
export function nearest(x: number): number {
  return x + 6755399441055744.0 - 6755399441055744.0
}

/** x within low and high; NaN stays. */
export function within(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high)
}

/** The magnitude with the sign of x, or x itself where that is zero or NaN. */
export function signed(magnitude: number, x: number): number {
  return x > 0 ? magnitude : x < 0 ? -magnitude : x
}

/**
 * The float32 nearest to f(x), y being its float64 value: y rounded, but where y is so near a midpoint that its error
 * may decide. There the listed operands have their results, from `start` to `end` of the numbers, and the others none.
 */
export function decided(y: number, x: number, start: int, end: int): number {
  // 2^-42, many times the error of every y. NaN and infinite y have no interval and are not listed.
  const error = y * 2.2737367544323206e-13
  if (Math.fround(y - error) === Math.fround(y + error)) return Math.fround(y)
  for (let i: int = start; i < end; i += 2) if (at(i) === x) return at(i + 1)
  return Math.fround(y)
}

/** x / 2 + c x^2 of so small an x that the second term only turns ties up: the halves of subnormals are ties. */
export function halved(x: number): number {
  return Math.fround(0.5 * x + Math.abs(x) * 4.440892098500626e-16)
}
