import { twoProduct } from './pair.js'

/**
 * sqrt(a^2 + b^2) of two JavaScript numbers (`hypot` of tensor takes tensors), without `Math.hypot`, so that every engine
 * gives the same bits; operands may be of any size.
 *
 * Rounding  one Newton step from the rounded root, its residual exact: a float64 next to the real value, and that value where it is a
 *           float64 of 26 bits or less. Rounded again to at most 16 bits it is rounded as once: a midpoint of p + 1 bits and the
 *           root of a sum of squares of p bits are equal or 2^-(3p + 3) apart.
 * Special   an infinite operand gives Infinity, beside NaN too; else NaN gives NaN.
 * Error     0.51 ulp; 1 where the result is subnormal.
 *
 * @example hypot(3 * 2 ** 600, 4 * 2 ** 600) === 5 * 2 ** 600 // true
 */
export function hypot(a: number, b: number): number {
  const x = Math.max(Math.abs(a), Math.abs(b))
  const y = Math.min(Math.abs(a), Math.abs(b))
  if (Math.abs(a) === Infinity || Math.abs(b) === Infinity) return Infinity
  // Below half an ulp of x, or NaN.
  if (!(y > x * 2 ** -54)) return x + y
  if (x > 2 ** 500) return root(x * 2 ** -600, y * 2 ** -600) * 2 ** 600
  if (y < 2 ** -400) return root(x * 2 ** 600, y * 2 ** 600) * 2 ** -600
  return root(x, y)
}

function root(x: number, y: number): number {
  const near = Math.sqrt(x * x + y * y)
  const whole = twoProduct(near, near)
  const larger = twoProduct(x, x)
  const smaller = twoProduct(y, y)
  // Subtracted from the largest on, nothing is lost before the low parts.
  const over = whole[0] - larger[0] - smaller[0] + (whole[1] - larger[1] - smaller[1])
  return near - over / (2 * near)
}
