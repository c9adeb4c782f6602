/** Coefficients B_2k / (2k)! of the Euler-Maclaurin formula, k = 1 ... 8 (Abramowitz and Stegun, 23.1.30). */
const maclaurin = [
  1 / 12,
  -1 / 720,
  1 / 30240,
  -1 / 1209600,
  1 / 47900160,
  -691 / 1307674368000,
  1 / 74724249600,
  -3617 / 10670622842880000,
]

/**
 * Hurwitz's zeta function, sum of (k + q)^-s over k >= 0, by the Euler-Maclaurin formula.
 *
 * Special   Inf at s = 1 and at the poles q = 0, -1, ...; NaN for s < 1, and for negative q where s is no integer.
 * Source    Abramowitz and Stegun, Handbook of Mathematical Functions, 23.1.30.
 */
export function zeta(s: number, q: number): number {
  if (s === 1) return Infinity
  if (!(s > 1) || Number.isNaN(q)) return Number.NaN
  if (q <= 0 && Number.isInteger(q)) return Infinity
  if (q <= 0 && !Number.isInteger(s)) return Number.NaN
  if (q === Infinity) return 0
  let total = 0
  let at = q
  for (; at < 12; at++) total += at ** -s
  total += at ** (1 - s) / (s - 1) + 0.5 * at ** -s
  let rising = s * at ** (-s - 1)
  for (const [k, coefficient] of maclaurin.entries()) {
    total += coefficient * rising
    rising *= ((s + 2 * k + 1) * (s + 2 * k + 2)) / (at * at)
  }
  return total
}

const series = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12]

/** The derivative of log gamma; NaN at 0 and at negative integers. Source: Abramowitz and Stegun, 6.3.5, 6.3.7, 6.3.18. */
export function digamma(x: number): number {
  if (x === Infinity) return Infinity
  if (!(x > -Infinity) || (x <= 0 && Number.isInteger(x))) return Number.NaN
  if (x < 0) return digamma(1 - x) - Math.PI / Math.tan(Math.PI * (x - Math.round(x)))
  let below = 0
  let at = x
  for (; at < 10; at++) below += 1 / at
  const w = 1 / (at * at)
  let tail = 0
  for (let k = series.length - 1; k >= 0; k--) tail = w * (series[k]! + tail)
  return Math.log(at) - 0.5 / at - tail - below
}

/** The derivative of an order of digamma: digamma itself for 0. NaN for an order that is no whole number. */
export function polygamma(order: number, x: number): number {
  if (order === 0) return digamma(x)
  if (!(order > 0) || !Number.isInteger(order)) return Number.NaN
  let factorial = 1
  for (let k = 2; k <= order; k++) factorial *= k
  return (order % 2 === 0 ? -1 : 1) * factorial * zeta(order + 1, x)
}

/** exp(-|x|) times the modified Bessel function of order 1. Source: Abramowitz and Stegun, 9.6.10 and 9.7.1. */
export function besselI1e(x: number): number {
  const size = Math.abs(x)
  if (!(size < Infinity)) return Number.isNaN(x) ? x : x > 0 ? 0 : -0
  if (size < 30) {
    const quarter = (size * size) / 4
    let term = size / 2
    let sum = term
    for (let k = 1; term > sum * 1e-18; k++) {
      term *= quarter / (k * (k + 1))
      sum += term
    }
    return Math.sign(x) * sum * Math.exp(-size)
  }
  let term = 1
  let sum = 1
  for (let k = 1; k < 30; k++) {
    const next = (term * ((2 * k - 1) ** 2 - 4)) / (8 * size * k)
    if (Math.abs(next) > Math.abs(term)) break
    term = next
    sum += term
  }
  return (Math.sign(x) * sum) / Math.sqrt(2 * Math.PI * size)
}

/** The inverse of erf in float64: a start within 1e-4 and Newton steps with erfc, which keeps the digits of the tails. */
export function erfInverse(y: number, erf: (x: number) => number, erfc: (x: number) => number): number {
  const size = Math.abs(y)
  if (!(size <= 1)) return Number.NaN
  if (size === 1) return y * Infinity
  if (size < 1e-8) return (y * Math.sqrt(Math.PI)) / 2
  // Winitzki's approximation, off by 2e-3 relative.
  const w = Math.log1p(-y * y)
  const a = 2 / (Math.PI * 0.147) + w / 2
  let x = Math.sqrt(Math.sqrt(a * a - w / 0.147) - a)
  for (let i = 0; i < 4; i++) {
    const error = size > 0.5 ? 1 - size - erfc(x) : erf(x) - size
    const slope = (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x)
    const step = error / slope
    // Halley's step: erf'' = -2 x erf'.
    x -= step / (1 + x * step)
  }
  return Math.sign(y) * x
}
