import { expValue } from './float32/exponential.js'
import { log1pValue } from './float32/logarithm.js'
import { cutToOdd, exp, fixed, log, one } from './real.js'

/**
 * log(exp(a) + exp(b)) of float32 numbers, rounded once to float32.
 *
 * Special   Infinity beside anything but NaN gives Infinity, -Infinity beside b gives b; NaN gives NaN.
 * Cost      15 ns; about once in 2^17, and more often where the result is near 0, up to 0.5 ms in integers.
 *
 * @example float32LogAddExp(0, 0) // 0.6931471824645996
 */
export function float32LogAddExp(a: number, b: number): number {
  const larger = Math.max(a, b)
  const smaller = Math.min(a, b)
  // Infinities and NaN.
  if (!(larger - smaller < Infinity)) return larger
  // Beyond 200 only a result of 0 or `larger` is left to float32.
  const tail = log1pValue(expValue(-Math.min(larger - smaller, 200)))
  const y = larger + tail
  // The tail is right to 2^-48 of itself, but the sum with a negative number may leave little of it.
  const error = 2 ** -43 * (tail + Math.abs(y))
  const low = Math.fround(y - error)
  return low === Math.fround(y + error) ? low : exactly(larger, smaller)
}

/** Never a midpoint m: exp(a) + exp(b) = exp(m) has no rational solutions (Lindemann and Weierstrass; a = b: ln 2). */
function exactly(larger: number, smaller: number): number {
  const value = fixed(larger) + log(one + exp(fixed(smaller) - fixed(larger)))
  return value < 0n ? Math.fround(-cutToOdd(-value)) : Math.fround(cutToOdd(value))
}
