import { dyadic, type Exact, floorLog2Of, magnitude, negate, one, rational, add as sum } from './exact.js'

/** A real number between two exact ones, which are equal where it is known exactly. */
export interface Enclosed {
  readonly low: Exact
  readonly high: Exact
}

export const exactly = (value: Exact): Enclosed => ({ low: value, high: value })

/** Units of the fixed-point numbers of `reals`, in functions. */
const places = 512
export const unit: bigint = 1n << BigInt(places)

/** A fixed-point number of `reals` times 2^exponent, with its error: below 2^-440 of the larger of it and 1. */
export function enclosed(value: bigint, exponent: number = 0): Enclosed {
  const size = value < 0n ? -value : value
  const error = (size >> 430n) + (1n << 82n)
  return { low: dyadic(value - error, exponent - places), high: dyadic(value + error, exponent - places) }
}

/** The fixed-point number of an exact one that is a multiple of 2^-512, or is cut to one. */
export function fixedOf({ sign, numerator, denominator, exponent }: Exact): bigint {
  const shift = exponent + places
  const size =
    shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift))
  return sign < 0 ? -size : size
}

/** Less than it takes to reach what rounding to 16 bits with 33 random ones tells apart. */
const hair = 2 ** 7

/** A number that lies just beyond an exact one, away from zero or toward it. */
export function beside(value: Exact, side: 'away' | 'toward'): Enclosed {
  const { sign, numerator, denominator, exponent } = value
  const near = (numerator << BigInt(hair)) + (side === 'away' ? 1n : -1n)
  const nudged = rational(sign < 0 ? -near : near, denominator, exponent - hair)
  return exactly(nudged)
}

/** The integer part toward -infinity, and what is left: from 0 up to 1. */
export function floorOf(value: Exact): { readonly floor: bigint; readonly rest: Exact } {
  const { sign, numerator, denominator, exponent } = value
  const over = exponent >= 0 ? denominator : denominator << BigInt(-exponent)
  const signed = (sign < 0 ? -numerator : numerator) << BigInt(Math.max(exponent, 0))
  let floor = signed / over
  if (signed < 0n && floor * over !== signed) floor -= 1n
  return { floor, rest: sum(value, dyadic(-floor, 0)) }
}

/** Whether a number's magnitude is below 2^power. */
export const below = (value: Exact, power: number): boolean => value.sign === 0 || floorLog2Of(value) < power

export const isOne = (value: Exact): boolean =>
  value.kind === 'finite' && value.sign === 1 && sum(value, negate(one)).sign === 0

export const isMinusOne = (value: Exact): boolean => value.sign === -1 && isOne(magnitude(value))
