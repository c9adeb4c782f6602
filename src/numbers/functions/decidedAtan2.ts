import { nearFewBits } from './nearFewBits.js'
import { twoProduct } from './pair.js'
import { atan, cutToOdd, divide, fixed, pi } from './real.js'

/**
 * atan2 of two numbers of at most 16 bits: a float64 that, rounded to at most 16 bits, rounds the true value once. It is
 * Math.atan2 but where that lies so near a midpoint that its error matters.
 *
 * Cost      that of Math.atan2; 0.1 ms where it has to be decided, about once in 2^25.
 *
 * @example decidedAtan2(3 * 2 ** -133, 2) < 3 * 2 ** -134 // true
 */
export function decidedAtan2(a: number, b: number): number {
  const y = Math.atan2(a, b)
  if (!nearFewBits(y) || a === 0 || b === 0 || !Number.isFinite(a) || !Number.isFinite(b)) return y
  const tangent = Math.abs(a / b)
  if (b > 0 && tangent < 2 ** -27) {
    // t - t^3 / 3 + ... is less than an ulp below t. If t is no float64, it is 2^-34 of itself from any midpoint.
    const [product, rest] = twoProduct(tangent, b)
    return product === Math.abs(a) && rest === 0 ? Math.sign(a) * tangent * (1 - 2 ** -53) : y
  }
  const angle = atan(divide(fixed(Math.abs(a)), fixed(Math.abs(b))))
  return Math.sign(a) * cutToOdd(b > 0 ? angle : pi() - angle)
}
