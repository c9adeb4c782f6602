import { checkRecord, noOptions } from '../../base/options/index.js'
import { type Exact, exactOf, floorLog2Of } from './exact.js'
import { checkType, type P3109Type } from './p3109Type.js'
import { type Projection, type ProjectionOptions, projectionOf } from './projection.js'

/**
 * The code of a number: one rounding of its exact value to the type's precision, then saturation.
 *
 * @param value a JavaScript number, or an exact one such as `decodeExact` gives
 *
 * Rounding  as `rounding` says, with the exponent unlimited above; subnormals are kept.
 * Special   NaN gives NaN. -0 gives zero. Beyond the finite range as `saturation` says; of an unsigned type the range begins
 *           at 0, so negative numbers that do not round to 0 lie outside it.
 * Throws    RangeError for options that are unknown or out of range; 'Stochastic...' needs random and randomBits.
 * Cost      about 1 us.
 * Source    IEEE P3109/D1, section 4.7.3 to 4.7.6.
 *
 * @example project(3.14, p3109Type(8, 4)) // 0x4d
 * @example project(1e9, p3109Type(8, 4)) === p3109Type(8, 4).positiveInfinity // true
 * @example project(1e9, p3109Type(8, 4), { saturation: 'SatFinite' }) // 0x7e
 * @example project(1e9, p3109Type(8, 4, { infinity: false })) // 0x80
 * @example project(2.1, p3109Type(8, 4), { rounding: 'StochasticA', randomBits: 4, random: 15 }) // 0x49
 */
export function project(
  value: number | Exact,
  type: P3109Type,
  options: ProjectionOptions = noOptions,
): number {
  checkType('project', type)
  if (typeof value !== 'number') {
    checkRecord('project', 'value', value, ['kind', 'sign', 'numerator', 'denominator', 'exponent'])
  }
  const projection = projectionOf('project', options)
  return projectExact(typeof value === 'number' ? exactOf(value) : value, type, projection)
}

/** `project` of an exact value, its options checked. */
export function projectExact(value: Exact, type: P3109Type, projection: Projection): number {
  if (value.kind === 'nan') return type.nan
  if (value.kind === 'infinity') return saturated(value.sign < 0, true, type, projection)
  if (value.sign === 0) return 0
  const code = roundedMagnitude(value, type, projection)
  const negative = value.sign < 0
  if (code === 0) return 0
  if (negative && !type.signed) return saturated(true, false, type, projection)
  if (code > type.maxFinite) return saturated(negative, false, type, projection)
  return negative ? code + type.nan : code
}

/**
 * The code that a finite number's magnitude is rounded to, as if codes went on past the largest finite one: the significand,
 * an integer of units of 2^quantum, with the exponent's steps below it.
 */
function roundedMagnitude(value: Exact, type: P3109Type, projection: Projection): number {
  const { precision, bias } = type
  const quantum = Math.max(floorLog2Of(value), 1 - bias) - precision + 1
  const shift = value.exponent - quantum
  const numerator = shift >= 0 ? value.numerator << BigInt(shift) : value.numerator
  const denominator = shift >= 0 ? value.denominator : value.denominator << BigInt(-shift)
  const whole = numerator / denominator
  const rest = numerator % denominator
  const significand = Number(whole)
  const evenCode =
    precision > 1 ? significand % 2 === 0 : significand === 0 || Math.abs(quantum + bias) % 2 === 0
  const up = rest !== 0n && roundsAway(rest, denominator, evenCode, value.sign < 0, projection)
  const steps = quantum + precision + bias - 2
  return significand + (up ? 1 : 0) + steps * 2 ** (precision - 1)
}

/** Whether a fraction rest / denominator, between 0 and 1, is rounded away from zero. */
function roundsAway(
  rest: bigint,
  denominator: bigint,
  evenCode: boolean,
  negative: boolean,
  { rounding, randomBits, random }: Projection,
): boolean {
  switch (rounding) {
    case 'NearestTiesToEven':
      return 2n * rest > denominator || (2n * rest === denominator && !evenCode)
    case 'NearestTiesToAway':
      return 2n * rest >= denominator
    case 'TowardPositive':
      return !negative
    case 'TowardNegative':
      return negative
    case 'TowardZero':
      return false
    case 'ToOdd':
      return evenCode
    case 'StochasticA':
      return Number((rest << BigInt(randomBits)) / denominator) + random >= 2 ** randomBits
    case 'StochasticB':
      return Number((rest << BigInt(randomBits + 1)) / denominator) + 2 * random + 1 >= 2 ** (randomBits + 1)
    case 'StochasticC':
      return nearestEven(rest << BigInt(randomBits), denominator) + random >= 2 ** randomBits
    default:
      return rounding satisfies never
  }
}

function nearestEven(numerator: bigint, denominator: bigint): number {
  const floor = Number(numerator / denominator)
  const twice = 2n * (numerator % denominator)
  return twice > denominator || (twice === denominator && floor % 2 === 1) ? floor + 1 : floor
}

/** The code of a number beyond an end of the finite range, infinite or not. */
function saturated(
  negative: boolean,
  infinite: boolean,
  type: P3109Type,
  { rounding, saturation }: Projection,
): number {
  const end = negative ? type.minFinite : type.maxFinite
  const infinityCode = negative ? type.negativeInfinity : type.positiveInfinity
  if (saturation === 'SatFinite') return end
  if (saturation === 'SatPropagate') return infinite ? (infinityCode ?? end) : end
  const inward = rounding === 'TowardZero' || rounding === (negative ? 'TowardPositive' : 'TowardNegative')
  if (inward && !infinite) return end
  return infinityCode ?? type.nan
}
