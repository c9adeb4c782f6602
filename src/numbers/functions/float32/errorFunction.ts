import { exponentOf, powerOfTwo, toInt } from './bits.js'
import { decided, halved, signed } from './decide.js'
import { expValue } from './exponential.js'
import {
  at,
  erfcEnd,
  erfcHard,
  erfEnd,
  erfHard,
  errors,
  geluEnd,
  geluHard,
  type int,
  tails,
} from './numbers.js'

/** The polynomial of a row of 14 numbers, its centre first, at x. */
function piece(row: int, x: number): number {
  const t = x - at(row)
  let sum = at(row + 13)
  for (let i: int = 12; i > 0; i--) sum = sum * t + at(row + i)
  return sum
}

/** erf(x) for 0 <= x < 4. */
function erfValue(x: number): number {
  const part = toInt(4 * x)
  return part === 0 ? x * smallErf(x) : piece(errors + 14 * part, x)
}

/** erf(x) / x for |x| < 1/4. */
function smallErf(x: number): number {
  let sum = at(errors + 13)
  for (let i: int = 12; i > 1; i--) sum = sum * x + at(errors + i)
  return sum
}

/** erfc(x) exp(x^2) for 1/4 <= x < 16. */
function scaledErfc(x: number): number {
  const e = exponentOf(x)
  const part = toInt(4 * (x * powerOfTwo(-e) - 1))
  return piece(tails + 14 * (4 * (e + 2) + part + 1), x)
}

export function erf(x: number): number {
  const size = Math.min(Math.abs(x), 3.99)
  return signed(decided(erfValue(size), size, erfHard, erfEnd), x)
}

/** 1 - erf(x). */
export function erfc(x: number): number {
  const size = Math.min(Math.abs(x), 15)
  if (size < 0.25) return decided(1 - signed(erfValue(size), x), x, erfcHard, erfcEnd)
  const tail = expValue(-size * size) * scaledErfc(size)
  return decided(x < 0 ? 2 - tail : tail, x, erfcHard, erfcEnd)
}

/** x / 2 (1 + erf(x / sqrt(2))) = x / 2 erfc(-x / sqrt(2)). */
export function gelu(x: number): number {
  if (Math.abs(x) < 7.888609052210118e-31) return x === 0 ? x : halved(x)
  return decided(geluValue(x), x, geluHard, geluEnd)
}

/** Of an x that is not 0, relative error below 2^-49 above -20. */
export function geluValue(x: number): number {
  const size = Math.min(Math.abs(x), 20)
  const z = size * Math.SQRT1_2
  if (z < 0.25) return 0.5 * x * (1 + signed(erfValue(z), x))
  const tail = 0.5 * size * (expValue(-0.5 * (size * size)) * scaledErfc(z))
  return x > 0 ? x - tail : -tail
}
