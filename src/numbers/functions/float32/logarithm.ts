import { exponentOf, powerOfTwo, toInt } from './bits.js'
import { decided, signed, within } from './decide.js'
import { expValue } from './exponential.js'
import {
  acoshEnd,
  acoshHard,
  asinhEnd,
  asinhHard,
  at,
  atanhEnd,
  atanhHard,
  type int,
  log1pEnd,
  log1pHard,
  log2End,
  log2Hard,
  log10End,
  log10Hard,
  logarithms,
  logEnd,
  logHard,
  softplusEnd,
  softplusHard,
} from './numbers.js'

// log(2^e m) = e ln 2 - log c + log(1 + r), c from a table near 1 / m, r = m c - 1 exact but for a rest of m:
// Tang, ACM Trans. Math. Softw. 16 (1990), doi:10.1145/98267.98294

/** ln 2: the upper part, a multiple of 2^-42, and the rest. */
export const ln2High = 0.6931471805598903
export const ln2Low = 5.497923018708371e-14

/** Where m in [1, 2) has its row. */
export function rowOf(m: number): int {
  return logarithms + 3 * toInt((m - 1) * 64 + 0.5)
}

/** From this row on, the logarithm is that of m / 2. */
export const upperRows: int = logarithms + 81

/** m c - 1 for a row. */
export function reduced(m: number, row: int): number {
  const c = at(row)
  const upper: number = Math.fround(m)
  return upper * c - 1 + (m - upper) * c
}

/** log(1 + r) - r for |r| < 0.009, to 2^-52 of r. */
export function beyondFirst(r: number): number {
  const rest = 0.2 + r * (-0.16666666666666666 + r * (0.14285714285714285 + r * -0.125))
  return r * r * (-0.5 + r * (0.3333333333333333 + r * (-0.25 + r * rest)))
}

/** log(x) of a normal positive x, relative error below 2^-51. */
export function logValue(x: number): number {
  const e = exponentOf(x)
  const m = x * powerOfTwo(-e)
  const row = rowOf(m)
  const r = reduced(m, row)
  const k: number = row >= upperRows ? e + 1 : e
  return k * ln2High + at(row + 1) + (r + (beyondFirst(r) + (k * ln2Low + at(row + 2))))
}

/** whole + log(m) scale, x being 2^k m with m about 1: `unit` is the logarithm of 2. */
function scaledLog(x: number, unit: number, scale: number): number {
  const e = exponentOf(x)
  const m = x * powerOfTwo(-e)
  const row = rowOf(m)
  const r = reduced(m, row)
  const k: number = row >= upperRows ? e + 1 : e
  return k * unit + (at(row + 1) + (r + (beyondFirst(r) + at(row + 2)))) * scale
}

/** log(1 + t) for t > -1 below 2^1000. */
export function log1pValue(t: number): number {
  const u = 1 + t
  const lost = t < 1 ? t - (u - 1) : 1 - (u - t)
  return logValue(u) + lost / u
}

/** What a logarithm is where it is no finite number, x = 0, below 0, infinite or NaN. */
function logLimit(x: number): number {
  return x === 0 ? -Infinity : x > 0 ? x : NaN
}

export function log(x: number): number {
  return x > 0 && x < Infinity ? decided(logValue(x), x, logHard, logEnd) : logLimit(x)
}

export function log2(x: number): number {
  if (!(x > 0 && x < Infinity)) return logLimit(x)
  return decided(scaledLog(x, 1, Math.LOG2E), x, log2Hard, log2End)
}

export function log10(x: number): number {
  if (!(x > 0 && x < Infinity)) return logLimit(x)
  return decided(scaledLog(x, 0.3010299956639812, Math.LOG10E), x, log10Hard, log10End)
}

export function log1p(x: number): number {
  if (x === 0) return x
  if (!(x > -1 && x < Infinity)) return logLimit(x + 1)
  return decided(log1pValue(x), x, log1pHard, log1pEnd)
}

export function asinh(x: number): number {
  const size = Math.min(Math.abs(x), 4e38)
  const square = size * size
  const y = log1pValue(size + square / (1 + Math.sqrt(1 + square)))
  return x - x === 0 ? signed(decided(y, size, asinhHard, asinhEnd), x) : x
}

export function acosh(x: number): number {
  if (!(x >= 1 && x < Infinity)) return x > 1 ? x : NaN
  const t = x - 1
  return t === 0 ? 0 : decided(log1pValue(t + Math.sqrt(t * (x + 1))), x, acoshHard, acoshEnd)
}

export function atanh(x: number): number {
  const size = Math.abs(x)
  if (!(size < 1)) return size === 1 ? x / 0 : NaN
  return signed(decided(0.5 * log1pValue((2 * size) / (1 - size)), size, atanhHard, atanhEnd), x)
}

/** log(1 + exp(x)). */
export function softplus(x: number): number {
  const tail = log1pValue(expValue(within(-Math.abs(x), -200, 0)))
  return decided(Math.max(x, 0) + tail, x, softplusHard, softplusEnd)
}
