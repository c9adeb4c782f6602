import { powerOfTwo, toInt } from './bits.js'
import { decided, halved, nearest, signed, within } from './decide.js'
import {
  at,
  coshEnd,
  coshHard,
  exp2End,
  exp2Hard,
  expEnd,
  expHard,
  expm1End,
  expm1Hard,
  geluTanhEnd,
  geluTanhHard,
  powers,
  sigmoidEnd,
  sigmoidHard,
  siluEnd,
  siluHard,
  sinhEnd,
  sinhHard,
  tanhEnd,
  tanhHard,
} from './numbers.js'

// exp(x) = 2^(n/64) exp(r), |r| <= ln(2) / 128: Tang, ACM Trans. Math. Softw. 15 (1989), doi:10.1145/63522.214389

const stepsPerUnit = 92.33248261689366
const firstStep = 0.010830424696905538
const secondStep = -6.56392980139141e-13

/** exp(r) - 1 for |r| < 0.006, relative error below 2^-51. */
function smallExpm1(r: number): number {
  const rest = 0.041666666666666664 + r * (0.008333333333333333 + r * 0.001388888888888889)
  return r + r * r * (0.5 + r * (0.16666666666666666 + r * rest))
}

/** exp(x) for |x| <= 700, relative error below 2^-51. */
export function expValue(x: number): number {
  const n = nearest(x * stepsPerUnit)
  const p = smallExpm1(x - n * firstStep - n * secondStep)
  const k = toInt(n)
  const row = powers + 2 * (k & 63)
  const power = at(row)
  return (power + (power * p + at(row + 1))) * powerOfTwo(k >> 6)
}

/** exp(x) - 1 for |x| <= 700, relative error below 2^-50. */
export function expm1Value(x: number): number {
  const n = nearest(x * stepsPerUnit)
  const p = smallExpm1(x - n * firstStep - n * secondStep)
  const k = toInt(n)
  const row = powers + 2 * (k & 63)
  const scale = powerOfTwo(k >> 6)
  const power = at(row) * scale
  return power - 1 + (power * p + at(row + 1) * scale)
}

export function exp(x: number): number {
  return decided(expValue(within(x, -200, 200)), x, expHard, expEnd)
}

export function exp2(x: number): number {
  const z = within(x, -300, 300)
  const n = nearest(64 * z)
  const p = smallExpm1((z - n * 0.015625) * Math.LN2)
  const k = toInt(n)
  const row = powers + 2 * (k & 63)
  const power = at(row)
  return decided((power + (power * p + at(row + 1))) * powerOfTwo(k >> 6), x, exp2Hard, exp2End)
}

export function expm1(x: number): number {
  return x === 0 ? x : decided(expm1Value(within(x, -200, 200)), x, expm1Hard, expm1End)
}

export function sinh(x: number): number {
  const size = Math.abs(x)
  const e = expm1Value(within(size, 0, 200))
  return signed(decided(0.5 * (e + e / (e + 1)), size, sinhHard, sinhEnd), x)
}

export function cosh(x: number): number {
  const size = Math.abs(x)
  const e = expValue(within(size, 0, 200))
  return decided(0.5 * (e + 1 / e), size, coshHard, coshEnd)
}

export function tanh(x: number): number {
  const size = Math.abs(x)
  const e = expm1Value(within(2 * size, 0, 40))
  return signed(decided(e / (e + 2), size, tanhHard, tanhEnd), x)
}

export function sigmoid(x: number): number {
  return decided(1 / (1 + expValue(-within(x, -200, 200))), x, sigmoidHard, sigmoidEnd)
}

/** x sigmoid(x). */
export function silu(x: number): number {
  if (Math.abs(x) < 7.888609052210118e-31) return x === 0 ? x : halved(x)
  // Down there the exponential makes a zero of anything.
  const z = Math.max(x, -200)
  return decided(z / (1 + expValue(-within(z, -200, 200))), x, siluHard, siluEnd)
}

/** x / 2 (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3). */
export function geluTanh(x: number): number {
  if (Math.abs(x) < 7.888609052210118e-31) return x === 0 ? x : halved(x)
  const z = Math.max(x, -24)
  const twice = 1.5957691216057308 * (z + 0.044715 * (z * z * z))
  return decided(z / (1 + expValue(-within(twice, -700, 700))), x, geluTanhHard, geluTanhEnd)
}
