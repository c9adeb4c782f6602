import { shown } from '../../base/options/index.js'

/**
 * A closed extended real, exact: NaN, an infinity, or sign * (numerator / denominator) * 2^exponent. What the operations of
 * P3109 are defined on: there is one NaN and no negative zero.
 */
export interface Exact {
  readonly kind: 'nan' | 'infinity' | 'finite'
  /** 0 for zero and NaN. */
  readonly sign: -1 | 0 | 1
  /** Positive for finite numbers but zero, where it is 0n. */
  readonly numerator: bigint
  readonly denominator: bigint
  readonly exponent: number
}

const special = (kind: Exact['kind'], sign: Exact['sign']): Exact =>
  Object.freeze({ kind, sign, numerator: 0n, denominator: 1n, exponent: 0 })

export const nan: Exact = special('nan', 0)
export const infinity: Exact = special('infinity', 1)
export const negativeInfinity: Exact = special('infinity', -1)
export const zero: Exact = special('finite', 0)
export const one: Exact = dyadic(1n, 0)

/** numerator / denominator * 2^exponent; the denominator is positive. */
export function rational(numerator: bigint, denominator: bigint, exponent: number): Exact {
  if (numerator === 0n) return zero
  const negative = numerator < 0n
  return {
    kind: 'finite',
    sign: negative ? -1 : 1,
    numerator: negative ? -numerator : numerator,
    denominator,
    exponent,
  }
}

export function dyadic(significand: bigint, exponent: number): Exact {
  return rational(significand, 1n, exponent)
}

const float64 = new Float64Array(1)
const bits = new BigUint64Array(float64.buffer)

/**
 * A JavaScript number as a closed extended real; -0 is 0.
 *
 * @example exactOf(0.75).numerator === exactOf(0.75 * 2 ** 52).numerator // true
 * @example exactOf(-Infinity).kind // infinity
 */
export function exactOf(value: number): Exact {
  if (typeof value !== 'number') throw new TypeError(`exactOf: not a number [${shown(value)}]`)
  if (Number.isNaN(value)) return nan
  if (!Number.isFinite(value)) return value > 0 ? infinity : negativeInfinity
  float64[0] = value
  const word = bits[0]!
  const field = Number((word >> 52n) & 2047n)
  const fraction = word & 0xfffffffffffffn
  const significand = field === 0 ? fraction : fraction | (1n << 52n)
  return dyadic(value < 0 ? -significand : significand, Math.max(field, 1) - 1075)
}

/** Bits of a positive integer. */
export function bitLength(n: bigint): number {
  const digits = n.toString(16)
  return 4 * (digits.length - 1) + 32 - Math.clz32(Number.parseInt(digits[0]!, 16))
}

/** Floor of log2 of a finite number's magnitude, which is not zero. */
export function floorLog2Of({ numerator, denominator, exponent }: Exact): number {
  const guess = bitLength(numerator) - bitLength(denominator)
  const reached =
    guess >= 0 ? numerator >= denominator << BigInt(guess) : numerator << BigInt(-guess) >= denominator
  return exponent + (reached ? guess : guess - 1)
}

const signed = ({ sign, numerator }: Exact): bigint => (sign < 0 ? -numerator : numerator)

/** x and y over one denominator and with one exponent: their numerators. */
function aligned(x: Exact, y: Exact): { a: bigint; b: bigint; denominator: bigint; exponent: number } {
  const exponent = x.sign === 0 ? y.exponent : y.sign === 0 ? x.exponent : Math.min(x.exponent, y.exponent)
  const a = x.sign === 0 ? 0n : (signed(x) * y.denominator) << BigInt(x.exponent - exponent)
  const b = y.sign === 0 ? 0n : (signed(y) * x.denominator) << BigInt(y.exponent - exponent)
  return { a, b, denominator: x.denominator * y.denominator, exponent }
}

export function negate(x: Exact): Exact {
  return x.sign === 0 ? x : { ...x, sign: x.sign < 0 ? 1 : -1 }
}

export function magnitude(x: Exact): Exact {
  return x.sign < 0 ? negate(x) : x
}

/** Infinities of opposite sign give NaN. */
export function add(x: Exact, y: Exact): Exact {
  if (x.kind === 'nan' || y.kind === 'nan') return nan
  if (x.kind === 'infinity') return y.kind === 'infinity' && x.sign !== y.sign ? nan : x
  if (y.kind === 'infinity') return y
  const { a, b, denominator, exponent } = aligned(x, y)
  return rational(a + b, denominator, exponent)
}

/** An infinity times zero gives NaN. */
export function multiply(x: Exact, y: Exact): Exact {
  if (x.kind === 'nan' || y.kind === 'nan') return nan
  const sign = x.sign * y.sign
  if (x.kind === 'infinity' || y.kind === 'infinity') {
    return sign === 0 ? nan : sign > 0 ? infinity : negativeInfinity
  }
  return rational(signed(x) * signed(y), x.denominator * y.denominator, x.exponent + y.exponent)
}

/** Over zero, and an infinity over an infinity, gives NaN; a number over an infinity gives 0. */
export function divide(x: Exact, y: Exact): Exact {
  if (x.kind === 'nan' || y.kind === 'nan' || (y.kind === 'finite' && y.sign === 0)) return nan
  if (x.kind === 'infinity') {
    return y.kind === 'infinity' ? nan : x.sign * y.sign > 0 ? infinity : negativeInfinity
  }
  if (y.kind === 'infinity') return zero
  const numerator = signed(x) * y.denominator
  return rational(y.sign < 0 ? -numerator : numerator, x.denominator * y.numerator, x.exponent - y.exponent)
}

/** -1, 0 or 1; neither is NaN. */
export function compare(x: Exact, y: Exact): number {
  if (x.kind === 'infinity' || y.kind === 'infinity') {
    const place = (v: Exact): number => (v.kind === 'infinity' ? v.sign : 0)
    return Math.sign(place(x) - place(y))
  }
  if (x.sign !== y.sign) return x.sign < y.sign ? -1 : 1
  if (x.sign === 0) return 0
  const order = Math.sign(floorLog2Of(x) - floorLog2Of(y))
  if (order !== 0) return order * x.sign
  const { a, b } = aligned(x, y)
  return a < b ? -1 : a > b ? 1 : 0
}
