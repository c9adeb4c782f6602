import { type KnownOp, Tensor, tensor } from '../../tensor/index.js'

/** B_2k / 2k, the coefficients of the asymptotic series of digamma in 1 / x^2 (Abramowitz and Stegun, 6.3.18). */
const series = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12]

/**
 * The derivative of log |gamma(x)| in float64: the recurrence psi(x) = psi(x + 1) - 1 / x up to 10, the asymptotic series
 * from there on, and the reflection psi(1 - x) - pi / tan(pi x) below 1/2.
 *
 * Special   NaN at 0, at negative integers and at -Inf; Inf at Inf.
 * Error     below 1e-14 relative away from its zeros (1.4616... and one between any two poles), where it is absolute.
 * Source    Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.5, 6.3.7, 6.3.18.
 */
export function digamma(x: number): number {
  if (x === Infinity) return Infinity
  if (!(x > 0)) {
    if (!(x > -Infinity) || Number.isInteger(x)) return Number.NaN
  }
  if (x < 0.5) {
    // The distance to the nearest integer is exact, pi times x itself would lose the fraction of a large x.
    const fraction = x - Math.round(x)
    return digamma(1 - x) - Math.PI / Math.tan(Math.PI * fraction)
  }
  let below = 0
  let at = x
  for (; at < 10; at++) below += 1 / at
  const w = 1 / (at * at)
  let tail = 0
  for (let k = series.length - 1; k >= 0; k--) tail = w * (series[k]! + tail)
  return Math.log(at) - 0.5 / at - tail - below
}

/** The derivative of lgamma as an operation: float64 inside, rounded once. Its own derivatives: polygamma.ts. */
export const digammaOp: KnownOp = {
  name: 'digamma',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x]) =>
    x!.dtype === 'float64'
      ? new Tensor('float64', x!.shape, (x!.data as Float64Array).map(digamma))
      : tensor(x!.toNumbers().map(digamma), { shape: x!.shape, dtype: x!.dtype }),
}
