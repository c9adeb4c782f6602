import { fmaFloat32 as fma } from './fma.js'
import { log1pFloat32 } from './log.js'

const { fround } = Math

/** erf(x) = x P(x^2) / Q(x^2) for |x| <= 3.7439...: highest power first. */
const erfNumerator = Float32Array.of(0.000229050653, 0.00340829091, 0.0509556942, 0.185208321, 1.12837911)
const erfDenominator = Float32Array.of(
  -1.17916031e-7,
  2.35479656e-5,
  0.00101796258,
  0.0140704699,
  0.110985048,
  0.497469246,
  1,
)
/** From here on the result is 1; the float32 nearest to the true value is, from 3.8325 on. */
const erfLimit = fround(3.7439211627767994)

/**
 * The error function of a float32, bit for bit that of XLA on CPU for scalars.
 *
 * Source    Eigen, MathFunctionsImpl.h (perf_erf), the coefficients; XLA's CPU backend, the evaluation
 */
export function erfFloat32(x: number): number {
  if (Math.abs(x) >= erfLimit) return Math.sign(x)
  const t2 = fround(x * x)
  let numerator = erfNumerator[0]!
  for (let i = 1; i < 5; i++) numerator = fma(numerator, t2, erfNumerator[i]!)
  let denominator = erfDenominator[0]!
  for (let i = 1; i < 7; i++) denominator = fma(denominator, t2, erfDenominator[i]!)
  return fround(fround(x * numerator) / denominator)
}

/** Polynomials in w - 2.5 for w < 5, else in sqrt(w) - 3, where w = -log(1 - x^2): highest power first. */
const centre = Float32Array.of(
  2.81022636e-8,
  3.43273939e-7,
  -3.5233877e-6,
  -4.39150654e-6,
  0.00021858087,
  -0.00125372503,
  -0.00417768164,
  0.246640727,
  1.50140941,
)
const tail = Float32Array.of(
  -0.000200214257,
  0.000100950558,
  0.00134934322,
  -0.00367342844,
  0.00573950773,
  -0.0076224613,
  0.00943887047,
  1.00167406,
  2.83297682,
)

/**
 * The inverse error function of a float32, bit for bit that of XLA on CPU; plus or minus 1 gives an infinity.
 *
 * Source    Giles: Approximating the erfinv function, GPU Computing Gems Jade Edition (2012), ch. 10, table 5
 */
export function erfInverseFloat32(x: number): number {
  if (Math.abs(x) === 1) return x * Infinity
  const w = -log1pFloat32(-fround(x * x))
  const central = w < 5
  const t = central ? fround(w - 2.5) : fround(fround(Math.sqrt(w)) - 3)
  const coefficients = central ? centre : tail
  let p = coefficients[0]!
  for (let i = 1; i < 9; i++) p = fma(p, t, coefficients[i]!)
  return fround(p * x)
}
