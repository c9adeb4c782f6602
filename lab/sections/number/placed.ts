import { encode, type FloatFormat, nextDown, nextUp, round, ulp } from 'tpu-toolkit/formats'
import { type WideFloat, wideNext } from './wideFloats.js'

/** Where a number is among the values of a format. */
export interface Placed {
  readonly name: string
  /** Hexadecimal. */
  readonly code: string
  /** What the number rounds to, to the nearest, a tie to the even code. */
  readonly value: number
  /** The finite value whose surroundings are drawn: `value`, or the largest one that an overflow has passed. */
  readonly centre: number
  /** The format's values next to `centre`; undefined where it has none. */
  readonly below: number | undefined
  readonly above: number | undefined
  /** The numbers that round to `value`: from `low` to `high`, infinite where all beyond do, and whether the ends do as well. */
  readonly low: number
  readonly high: number
  readonly lowRounds: boolean
  readonly highRounds: boolean
}

/** Places a number, which is not NaN, in a format. */
export function placedIn(x: number, format: FloatFormat): Placed {
  const value = round(x, format)
  const code = `0x${encode(x, format)
    .toString(16)
    .padStart(Math.ceil(format.bits / 4), '0')}`
  return placed(x, {
    ...{ name: format.name, code, value, max: format.max, lowest: format.lowest },
    spacing: ulp(format.max, format),
    next: (from, direction) => (direction > 0 ? nextUp(from, format) : nextDown(from, format)),
    roundsTo: (from) => round(from, format),
  })
}

/** Places a number, which is not NaN, in float32 or float64. */
export function placedWide(x: number, format: WideFloat): Placed {
  const value = format.round(x)
  const max = format.name === 'float32' ? 2 ** 128 - 2 ** 104 : Number.MAX_VALUE
  return placed(x, {
    ...{ name: format.name, value, max, lowest: -max },
    spacing: max - wideNext(max, -1, format),
    code: `0x${format
      .code(value)
      .toString(16)
      .padStart(format.bits / 4, '0')}`,
    next: (from, direction) => wideNext(from, direction, format),
    // The middle of two float64 is no float64 that could be rounded: a tie goes to the even code.
    ...(format.name === 'float32' ? { roundsTo: format.round } : { even: format.code(value) % 2n === 0n }),
  })
}

interface Rule {
  readonly name: string
  readonly code: string
  readonly value: number
  readonly max: number
  readonly lowest: number
  /** From the largest value to the one that would follow it. */
  readonly spacing: number
  readonly next: (from: number, direction: 1 | -1) => number
  readonly roundsTo?: (x: number) => number
  /** Whether ties go to the value, where `roundsTo` cannot say it. */
  readonly even?: boolean
}

function placed(x: number, { name, code, value, max, lowest, next, roundsTo, even, spacing }: Rule): Placed {
  const centre = Number.isFinite(value) ? value : x > 0 ? max : lowest
  const neighbour = (direction: 1 | -1): number | undefined => {
    const found = next(centre, direction)
    return Number.isFinite(found) && found !== centre ? found : undefined
  }
  const [below, above] = [neighbour(-1), neighbour(1)]
  const gap = above === undefined ? spacing : above - centre
  const gapBelow = below === undefined ? spacing : centre - below
  const end = (side: 1 | -1): { at: number; rounds: boolean } => {
    const there = side > 0 ? above : below
    const at = centre + side * (side > 0 ? gap / 2 : gapBelow / 2)
    if (!roundsTo) return { at, rounds: even ?? false }
    if (there === undefined && roundsTo(side * Number.MAX_VALUE) === centre) {
      return { at: side * Infinity, rounds: roundsTo(side * Infinity) === centre }
    }
    // A format without a sign has nothing for 0 and less.
    if (there === undefined && side < 0 && centre > 0) return { at: 0, rounds: false }
    return { at, rounds: roundsTo(at) === centre }
  }
  const [low, high] = [end(-1), end(1)]
  const facts = { name, code, value, centre, below, above }
  if (Number.isFinite(value)) {
    return { ...facts, low: low.at, high: high.at, lowRounds: low.rounds, highRounds: high.rounds }
  }
  // Beyond the largest: all that is past its interval.
  return x > 0
    ? { ...facts, low: high.at, high: Infinity, lowRounds: !high.rounds, highRounds: true }
    : { ...facts, low: -Infinity, high: low.at, lowRounds: true, highRounds: !low.rounds }
}
