import { nearFewBits } from './nearFewBits.js'
import { cutToOdd, exp, fixed, log, multiply } from './real.js'

/** IEEE 754 pow: 1 to any power and anything to the power 0 is 1, NaN and infinite exponents included. */
export function ieeePow(a: number, b: number): number {
  return a === 1 || (a === -1 && Math.abs(b) === Number.POSITIVE_INFINITY) ? 1 : a ** b
}

/**
 * pow of two numbers of at most 16 bits: a float64 that, rounded to at most 16 bits, rounds the true value once.
 *
 * Special   as `ieeePow`.
 * Cost      that of `**`; microseconds where the power is exact in few bits, 0.5 ms about once in 2^25.
 *
 * @example decidedPow(3, 2) // 9
 */
export function decidedPow(a: number, b: number): number {
  // Exact, or correctly rounded and far from midpoints: no need to ask.
  if (b === 2) return a * a
  if (b === 3) return a * a * a
  if (b === -1) return 1 / a
  if (b === 0.5 && a > 0) return Math.sqrt(a)
  const y = ieeePow(a, b)
  const size = Math.abs(y)
  // Outside, every format of 16 bits has 0 or Infinity; the operands that are 0 or infinite went there too.
  if (!(size > 2 ** -360 && size < 2 ** 360) || b === 0 || Math.abs(a) === 1 || !nearFewBits(y)) return y
  return Math.sign(y) * positivePower(Math.abs(a), b)
}

/** a ** b of a positive float32 a, as a float64 that, rounded to at most 24 bits, rounds the true value once. */
export function positivePower(a: number, b: number): number {
  // With b = e / 2^k the power is rational only if a has a root that many times.
  let [base, exponent] = [a, b]
  while (!Number.isInteger(exponent)) {
    const root = Math.sqrt(base)
    // A root of more than 26 bits is rounded, and then its square is not the base or has more bits than the base has.
    if (Math.fround(root) !== root || root * root !== base) break
    base = root
    exponent *= 2
  }
  if (Number.isInteger(exponent)) {
    const [odd, scale] = oddPart(base)
    if (odd === 1) return 2 ** (scale * exponent)
    if (exponent > 0 && exponent < 64) return integerToOdd(BigInt(odd) ** BigInt(exponent), scale * exponent)
  }
  // No number of few bits: an odd number's 64th power has more than 64 bits, its reciprocals end in no binary digit.
  return cutToOdd(exp(multiply(fixed(b), log(fixed(a)))))
}

/** x as an odd integer times a power of two. */
function oddPart(x: number): [odd: number, scale: number] {
  let [odd, scale] = [x, 0]
  for (; !Number.isInteger(odd); scale--) odd *= 2
  for (; odd % 2 === 0; scale++) odd /= 2
  return [odd, scale]
}

function integerToOdd(value: bigint, scale: number): number {
  const extra = Math.max(0, value.toString(2).length - 53)
  const upper = value >> BigInt(extra)
  const whole = upper << BigInt(extra) === value
  return Number(whole ? upper : upper | 1n) * 2 ** (scale + extra)
}
