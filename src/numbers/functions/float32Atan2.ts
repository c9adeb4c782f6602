import { atanValue } from './float32/inverse.js'
import { twoProduct } from './pair.js'
import { atan, cutToOdd, divide, fixed, pi } from './real.js'

const piLow = 1.2246467991473532e-16

/**
 * atan2 of float32 numbers, rounded once to float32.
 *
 * Special   as Math.atan2.
 * Cost      30 ns; about once in 2^17, and where b / a is exact and small, up to 0.2 ms in integers.
 *
 * @example float32Atan2(1, 2) // 0.46364760398864746
 */
export function float32Atan2(a: number, b: number): number {
  const height = Math.abs(a)
  const width = Math.abs(b)
  // Zeros, infinities and NaN: multiples of pi / 4.
  if (!(height > 0 && height < Infinity && width > 0 && width < Infinity)) {
    return Math.fround(Math.atan2(a, b))
  }
  const angle = atanValue(height, width)
  const y = b > 0 ? angle : Math.PI - (angle - piLow)
  const error = 2 ** -42 * y
  const low = Math.fround(y - error)
  return Math.sign(a) * (low === Math.fround(y + error) ? low : Math.fround(exactly(height, b)))
}

/** The angle as a float64 that, rounded to at most 24 bits, rounds the true value once. */
function exactly(height: number, b: number): number {
  const tangent = height / Math.abs(b)
  if (b > 0 && tangent < 2 ** -27) {
    // t - t^3 / 3 + ... is less than an ulp below t. If t is no float64, it is 2^-49 of itself from any midpoint.
    const [product, rest] = twoProduct(tangent, b)
    return product === height && rest === 0 ? tangent * (1 - 2 ** -53) : tangent
  }
  const angle = atan(divide(fixed(height), fixed(Math.abs(b))))
  return cutToOdd(b > 0 ? angle : pi() - angle)
}
