import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'

/** How a real number between two values of a type is rounded; the names are the draft's. */
export type P3109Rounding =
  /** Nearest; from the middle to the even code. */
  | 'NearestTiesToEven'
  | 'NearestTiesToAway'
  | 'TowardPositive'
  | 'TowardNegative'
  | 'TowardZero'
  /** If inexact, to the odd code. */
  | 'ToOdd'
  /** Away from zero where the discarded fraction, cut to N bits, plus the N random bits R reaches 1. */
  | 'StochasticA'
  /** As A with the fraction cut to N + 1 bits and half a random step added: 2R + 1 of 2^(N+1). */
  | 'StochasticB'
  /** As A with the fraction rounded to N bits, ties to even. */
  | 'StochasticC'

/** What becomes of a rounded number outside the finite range. */
export type P3109Saturation =
  /** The end of the finite range, of infinities too. */
  | 'SatFinite'
  /** An infinity stays where the type has it; all else goes to the end of the finite range. */
  | 'SatPropagate'
  /** An infinity, or NaN where the type has none; the end of the finite range where the rounding mode points there. */
  | 'SatNone'

/** A projection specification: how an exact result becomes a value of a type. */
export interface ProjectionOptions {
  /** Default 'NearestTiesToEven'. */
  readonly rounding?: P3109Rounding
  /** Default 'SatNone'. */
  readonly saturation?: P3109Saturation
  /** N of the stochastic modes, how many random bits there are: 1 .. 32. Needed by them. */
  readonly randomBits?: number
  /** R of the stochastic modes, the random bits themselves: 0 .. 2^N - 1. Needed by them. */
  readonly random?: number
}

/** The options, checked and complete. */
export interface Projection {
  readonly rounding: P3109Rounding
  readonly saturation: P3109Saturation
  readonly randomBits: number
  readonly random: number
}

/** Every rounding mode of the draft. */
export const p3109Roundings: readonly P3109Rounding[] = Object.freeze([
  'NearestTiesToEven',
  'NearestTiesToAway',
  'TowardPositive',
  'TowardNegative',
  'TowardZero',
  'ToOdd',
  'StochasticA',
  'StochasticB',
  'StochasticC',
])

/** Every saturation mode of the draft. */
export const p3109Saturations: readonly P3109Saturation[] = Object.freeze([
  'SatFinite',
  'SatPropagate',
  'SatNone',
])

/** The names of a projection's options, for records that have them among others. */
export const projectionNames: OptionTable<ProjectionOptions> = {
  rounding: 'optional',
  saturation: 'optional',
  randomBits: 'optional',
  random: 'optional',
}

/** Checks that options are a projection's, and completes them. */
export function projectionOf(op: string, options: ProjectionOptions | undefined): Projection {
  checkOptions(op, options, projectionNames, { positional: 'rounding' })
  return checkedProjection(op, options ?? {})
}

/** Completes a projection whose names are known. */
export function checkedProjection(op: string, options: ProjectionOptions): Projection {
  const { rounding = 'NearestTiesToEven', saturation = 'SatNone', randomBits, random } = options
  checkName(op, 'rounding', rounding, p3109Roundings)
  checkName(op, 'saturation', saturation, p3109Saturations)
  if (!rounding.startsWith('Stochastic')) return { rounding, saturation, randomBits: 0, random: 0 }
  checkInteger(op, 'randomBits', randomBits, 1, 32)
  checkInteger(op, 'random', random, 0, 2 ** randomBits! - 1)
  return { rounding, saturation, randomBits: randomBits!, random: random! }
}
