import { fmaFloat32 as fma } from './fma.js'

const { fround } = Math
const value = new Float32Array(1)
const word = new Uint32Array(value.buffer)

/** log(1 + m) = m - m^2/2 + m^3 P(m) for sqrt(1/2) - 1 <= m < sqrt(2) - 1: P, highest power first. */
const logTail = Float32Array.of(
  7.0376836292e-2,
  -1.151461031e-1,
  1.167699874e-1,
  -1.2420140846e-1,
  1.4249322787e-1,
  -1.6668057665e-1,
  2.0000714765e-1,
  -2.4999993993e-1,
  3.3333331174e-1,
)

/** ln 2 in two parts, the first short enough for an exact product with an exponent. */
const ln2High = 0.693359375
const ln2Low = fround(-2.1219444e-4)
const sqrtHalf = fround(Math.SQRT1_2)

/** log(1 + x) = x - x^2/2 + x^3 P(x) / Q(x) for |x| < sqrt(2) - 1; highest power first, Q monic. */
const log1pNumerator = Float32Array.of(
  4.52700008624452e-5,
  0.49854102823193375,
  6.578732594206104,
  29.911919328553072,
  60.94966798098779,
  57.11296359058554,
  20.039553499201283,
)
const log1pDenominator = Float32Array.of(
  1,
  15.062909083469192,
  83.04756596796722,
  221.76239823732857,
  309.09872225312057,
  216.42788614495947,
  60.11866049760384,
)
const log1pLimit = fround(Math.SQRT2 - 1)

/**
 * Natural logarithm of a float32, bit for bit that of XLA on CPU: same polynomial, same order, fused where its
 * compiler fuses. Math.log is more exact, but gumbel takes the log of a log near 1, where one ulp becomes hundreds.
 *
 * Special   0 gives -Inf, below 0 NaN, +Inf itself; subnormals count as 2^-126.
 * Error     1.19 ulp seen at most, over every multiple of 2^-23 below 1
 * Source    Cephes logf (netlib.org/cephes), the coefficients; xla/codegen math log, the evaluation
 */
export function logFloat32(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN
  if (x === Infinity) return x
  value[0] = Math.max(x, 2 ** -126)
  const bits = word[0]!
  word[0] = (bits & 0x007fffff) | 0x3f000000
  const half = value[0]!
  const low = half < sqrtHalf
  const exponent = (bits >>> 23) - (low ? 127 : 126)
  const m = low ? 2 * half - 1 : half - 1
  const m2 = fround(m * m)
  const m3 = fround(m2 * m)
  const c = logTail
  const high = fma(fma(m, c[0]!, c[1]!), m, c[2]!)
  const middle = fma(fma(m, c[3]!, c[4]!), m, c[5]!)
  const last = fma(fma(m, c[6]!, c[7]!), m, c[8]!)
  const tail = fma(fma(fma(high, m3, middle), m3, last), m3, fround(exponent * ln2Low))
  return fma(exponent, ln2High, fround(fround(m - 0.5 * m2) + tail))
}

/**
 * log(1 + x) of a float32 x > -1, bit for bit that of XLA on CPU.
 *
 * Error     1.27 ulp seen at most, over every multiple of 2^-23 in (-1, 0)
 * Source    Cephes log1p (netlib.org/cephes), the coefficients; XLA's CPU backend, the evaluation
 */
export function log1pFloat32(x: number): number {
  if (!(Math.abs(x) < log1pLimit)) return logFloat32(fround(1 + x))
  let numerator = log1pNumerator[0]!
  let denominator = log1pDenominator[0]!
  for (let i = 1; i < 7; i++) {
    numerator = fma(numerator, x, log1pNumerator[i]!)
    denominator = fma(denominator, x, log1pDenominator[i]!)
  }
  const x2 = fround(x * x)
  const cubic = fround(fround(x * x2) * fround(numerator / denominator))
  return fround(x + fround(cubic - 0.5 * x2))
}
