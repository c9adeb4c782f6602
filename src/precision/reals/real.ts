/** Significant bits of a quotient or a root: 1 + 10^-300 and its reciprocal are not 1. */
const precision = 1100

/** Bits that sums and products keep, which is all of them for numbers of float64 and products of two. */
const most = 4400

/** A nonzero number m 2^e of up to 4400 significant bits, with exponents without end. */
export interface Big {
  readonly m: bigint
  readonly e: number
}

/**
 * A real number far past float64: nothing overflows, nothing becomes subnormal, and sums and products are exact up
 * to 4400 bits, quotients and roots off by a relative 2^-1098 at most. Zeros, infinities and NaN are plain numbers, and no other number is.
 */
export type Real = number | Big

/** The exact real of a float64 number. */
export function realOf(x: number): Real {
  if (x === 0 || !Number.isFinite(x)) return x
  float64[0] = x
  const field = Number((bits[0]! >> 52n) & 0x7ffn)
  const fraction = bits[0]! & 0xfffffffffffffn
  const m = field === 0 ? fraction : fraction | 0x10000000000000n
  return { m: x < 0 ? -m : m, e: Math.max(field, 1) - 1075 }
}

const float64 = new Float64Array(1)
const bits = new BigUint64Array(float64.buffer)

/** The bits of a magnitude. */
export function bitLength(m: bigint): number {
  const digits = (m < 0n ? -m : m).toString(16)
  return digits.length * 4 - Math.clz32(Number.parseInt(digits[0]!, 16)) + 28
}

/** m 2^e, cut to so many bits. */
export function big(m: bigint, e: number, width: number = most): Real {
  if (m === 0n) return 0
  const extra = bitLength(m) - width
  return extra > 0 ? { m: m >> BigInt(extra), e: e + extra } : { m, e }
}

/** Minus a. */
export function negative(a: Real): Real {
  return typeof a === 'number' ? -a : { m: -a.m, e: a.e }
}

/** |a|. */
export function magnitude(a: Real): Real {
  return typeof a === 'number' ? Math.abs(a) : a.m < 0n ? { m: -a.m, e: a.e } : a
}

/** a + b; signs of zero, infinities and NaN as IEEE 754 has them, in this and in the others. */
export function plus(a: Real, b: Real): Real {
  if (typeof a === 'number') return typeof b === 'number' || a !== 0 ? a + special(b) : b
  if (typeof b === 'number') return b === 0 ? a : b
  const gap = a.e + bitLength(a.m) - b.e - bitLength(b.m)
  if (gap > most) return a
  if (gap < -most) return b
  const shift = a.e - b.e
  return shift >= 0 ? big((a.m << BigInt(shift)) + b.m, b.e) : big(a.m + (b.m << BigInt(-shift)), a.e)
}

/** A real as a number of the same sign that says the same to IEEE's rules for special values. */
function special(a: Real): number {
  return typeof a === 'number' ? a : a.m < 0n ? -1 : 1
}

/** a - b. */
export function minus(a: Real, b: Real): Real {
  return plus(a, negative(b))
}

/** a b. */
export function times(a: Real, b: Real): Real {
  if (typeof a === 'number' || typeof b === 'number') return special(a) * special(b)
  return big(a.m * b.m, a.e + b.e)
}

/** a / b. */
export function over(a: Real, b: Real): Real {
  if (typeof a === 'number' || typeof b === 'number') return special(a) / special(b)
  const shift = Math.max(0, precision + 2 - bitLength(a.m) + bitLength(b.m))
  return big((a.m << BigInt(shift)) / b.m, a.e - b.e - shift, precision)
}

/** The square root; NaN of a negative number. */
export function root(a: Real): Real {
  if (typeof a === 'number') return Math.sqrt(a)
  if (a.m < 0n) return Number.NaN
  let shift = 2 * precision + 4 - bitLength(a.m)
  if ((a.e - shift) % 2 !== 0) shift++
  const m = shift >= 0 ? a.m << BigInt(shift) : a.m >> BigInt(-shift)
  return big(integerRoot(m), (a.e - shift) / 2)
}

function integerRoot(n: bigint): bigint {
  let guess = 1n << BigInt((bitLength(n) + 1) >> 1)
  for (;;) {
    const next = (guess + n / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

/** Negative, zero or positive as a is below, at or above b; NaN where one of them is NaN. */
export function order(a: Real, b: Real): number {
  const apart = minus(a, b)
  if (typeof apart !== 'number') return special(apart)
  // Infinities of one sign are as far as equal.
  return Number.isNaN(apart) && a === b ? 0 : apart
}

/** floor(log2 |a|) of a nonzero finite real. */
export function exponentOf(a: Big): number {
  return a.e + bitLength(a.m) - 1
}

/** The nearest float64, ties to even. */
export function toFloat64(a: Real): number {
  if (typeof a === 'number') return a
  const least = Math.max(exponentOf(a) - 52, -1074)
  return scaled(nearest(a, least), least)
}

/**
 * The float64 next to a toward zero, its last bit set if anything was cut: rounding it again, to at most 51 bits, rounds a
 * itself once.
 */
export function toFloat64ToOdd(a: Real): number {
  if (typeof a === 'number') return a
  const least = Math.max(exponentOf(a) - 52, -1074)
  const shift = least - a.e
  const m = a.m < 0n ? -a.m : a.m
  if (shift <= 0) return toFloat64(a)
  const kept = m >> BigInt(shift)
  const odd = kept << BigInt(shift) === m ? kept : kept | 1n
  return scaled(a.m < 0n ? -odd : odd, least)
}

/** a / 2^least to the nearest integer, ties to even. */
function nearest(a: Big, least: number): bigint {
  const shift = BigInt(least - a.e)
  if (shift <= 0n) return a.m << -shift
  // Far below: a power of two as large as an exponent may be has no room.
  if (exponentOf(a) < least - 1) return 0n
  const m = a.m < 0n ? -a.m : a.m
  const floor = m >> shift
  const rest = m - (floor << shift)
  const half = 1n << (shift - 1n)
  const up = rest > half || (rest === half && (floor & 1n) === 1n)
  const result = up ? floor + 1n : floor
  return a.m < 0n ? -result : result
}

/** An integer of up to 54 bits times a power of two, which float64 has or which is past its end. */
function scaled(m: bigint, e: number): number {
  if (e > 1000) return Number(m) * 2 ** 1000 * 2 ** Math.min(e - 1000, 1000)
  return e < -1000 ? Number(m) * 2 ** -500 * 2 ** (e + 500) : Number(m) * 2 ** e
}
