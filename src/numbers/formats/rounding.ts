import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatFormat } from './format.js'

/** How a value between two neighbours of a format is rounded. */
export type Rounding =
  /** Nearest; a tie goes to the even significand. */
  | 'nearest-even'
  /** Nearest; a tie goes away from zero. */
  | 'nearest-away'
  | 'toward-zero'
  /** Toward +infinity. */
  | 'up'
  /** Toward -infinity. */
  | 'down'
  /** If inexact, the neighbour with the odd code. */
  | 'to-odd'
  /**
   * Away from zero with the probability of the discarded fraction, cut to `randomBits` bits: exact in expectation
   * where the fraction has no more of them, as from float32 to every named format above its smallest normal value.
   */
  | 'stochastic'

/** How to encode. */
export interface EncodeOptions {
  /** Default 'nearest-even'. */
  readonly rounding?: Rounding
  /** Overflow and infinities become the largest finite value of their sign. Default false. */
  readonly saturate?: boolean
  /** Source of uint32 words, needed by 'stochastic': one word per value encoded, whatever the value. */
  readonly random?: () => number
  /** How many bits 'stochastic' uses, the upper ones of each word: 1 .. 32, as hardware has few. Default 32. */
  readonly randomBits?: number
}

/** The options, checked and complete. */
export interface RoundingRule {
  readonly rounding: Rounding
  readonly saturate: boolean
  /** A word for each value; where 'stochastic' uses fewer bits, those it does not use are ones. */
  readonly random: () => number
}

/** Every mode. */
export const roundings: readonly Rounding[] = [
  'nearest-even',
  'nearest-away',
  'toward-zero',
  'up',
  'down',
  'to-odd',
  'stochastic',
]

const encodeNames: OptionTable<EncodeOptions> = {
  rounding: 'optional',
  saturate: 'optional',
  random: 'optional',
  randomBits: 'optional',
}

const noRandom = (): number => 0

const nearestEven: RoundingRule = { rounding: 'nearest-even', saturate: false, random: noRandom }

/** Checks options once, so that loops need not. */
export function roundingRule(options: EncodeOptions | undefined): RoundingRule {
  if (options === undefined) return nearestEven
  checkOptions('encode', options, encodeNames, { positional: 'rounding' })
  const { rounding = 'nearest-even', saturate = false, random, randomBits = 32 } = options
  if (!roundings.includes(rounding)) {
    throw new RangeError(`encode: rounding is none of ${roundings.join(' ')} [${String(rounding)}]`)
  }
  if (rounding !== 'stochastic') return { rounding, saturate, random: noRandom }
  if (typeof random !== 'function') {
    throw new RangeError(`encode: 'stochastic' needs random, a source of uint32 words [${String(random)}]`)
  }
  if (!Number.isInteger(randomBits) || randomBits < 1 || randomBits > 32) {
    throw new RangeError(`encode: randomBits outside 1..32 [${randomBits}]`)
  }
  // With ones below, word < floor(f 2^32) says the same as its upper bits < floor(f 2^randomBits).
  const unused = 2 ** (32 - randomBits) - 1
  return { rounding, saturate, random: () => (checkedWord(random()) | unused) >>> 0 }
}

function checkedWord(word: number): number {
  if (word >>> 0 !== word) throw new RangeError(`encode: random gave no uint32 [${word}]`)
  return word
}

/** Whether a magnitude goes to its upper neighbour; `fraction` in [0, 1) is its place above the lower one. */
export function roundsUp(
  fraction: number,
  lowerCode: number,
  negative: boolean,
  word: number,
  rounding: Rounding,
  format: FloatFormat,
): boolean {
  switch (rounding) {
    case 'nearest-even':
      return fraction > 0.5 || (fraction === 0.5 && oddSignificand(lowerCode, format))
    case 'nearest-away':
      return fraction >= 0.5
    case 'toward-zero':
      return false
    case 'up':
      return fraction > 0 && !negative
    case 'down':
      return fraction > 0 && negative
    case 'to-odd':
      return fraction > 0 && lowerCode % 2 === 0
    case 'stochastic':
      return word < Math.floor(fraction * 2 ** 32)
    default:
      return rounding satisfies never
  }
}

// Without mantissa bits every significand is the hidden 1. P3109 then takes the code's parity; e8m0, which has no zero, is
// rounded up, as in ml_dtypes.
function oddSignificand(code: number, { mantissaBits, zero }: FloatFormat): boolean {
  return code % 2 === 1 || !(mantissaBits || zero)
}

/** Whether a finite magnitude past the largest finite one stays finite in this mode. */
export function overflowStaysFinite(rounding: Rounding, negative: boolean): boolean {
  if (rounding === 'up') return negative
  if (rounding === 'down') return !negative
  return rounding === 'toward-zero' || rounding === 'to-odd'
}
