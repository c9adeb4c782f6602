import { bitLength, type Exact, infinity, nan, rational, zero } from './exact.js'

/** Bits of a root: more than rounding with 33 random bits asks for. */
const bits = 96

/** The square root of a positive number, of n / d 2^e: the last bit is set where more would follow. */
function rootOf(value: Exact): Exact {
  const odd = value.exponent % 2 !== 0
  const numerator = value.numerator * value.denominator * (odd ? 2n : 1n)
  const exponent = odd ? value.exponent - 1 : value.exponent
  // sqrt(n / d) = sqrt(n d) / d.
  const shift = Math.max(0, Math.ceil((2 * bits - bitLength(numerator)) / 2))
  const scaled = numerator << BigInt(2 * shift)
  const root = floorRoot(scaled)
  const exact = root * root === scaled
  return rational(2n * root + (exact ? 0n : 1n), value.denominator, exponent / 2 - shift - 1)
}

/** Floor of the square root of a positive integer. */
function floorRoot(n: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(bitLength(n) / 2))
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** NaN of negative numbers. */
export function sqrt(x: Exact): Exact {
  if (x.kind === 'nan' || x.sign < 0) return nan
  if (x.kind === 'infinity') return infinity
  return x.sign === 0 ? zero : rootOf(x)
}

/** NaN of zero too. */
export function rsqrt(x: Exact): Exact {
  if (x.kind === 'nan' || x.sign <= 0) return nan
  if (x.kind === 'infinity') return zero
  return rootOf(rational(x.denominator, x.numerator, -x.exponent))
}
