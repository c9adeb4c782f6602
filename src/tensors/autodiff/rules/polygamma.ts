import { apply, type KnownOp, mul, type Op, Tensor, tensor } from '../../tensor/index.js'
import { digammaOp } from './digamma.js'
import type { GradientRule } from './gradientRule.js'

/** B_2k / (2k)!, k = 1 ... 8. */
const bernoulli = [
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
 * The derivative of digamma of an order from 1 on, in float64: the recurrence up to 15 + order, the asymptotic series from there
 * on, and below 1/2 the reflection, with the order's derivative of cot(pi x) as a polynomial of it.
 *
 * Special   at 0 and at negative integers +Inf for odd orders, NaN for even ones; +-0 at Inf; NaN at -Inf.
 * Error     below 1e-13 relative for orders up to 4, away from the zeros of even orders below 0, where it is absolute.
 * Source    Abramowitz and Stegun, Handbook of Mathematical Functions, 6.4.6, 6.4.7, 6.4.11.
 */
export function polygamma(order: number, x: number): number {
  const sign = order % 2 === 1 ? 1 : -1
  if (x === Infinity) return sign * 0
  if (!(x > 0) && (!(x > -Infinity) || Number.isInteger(x))) {
    return sign === 1 && x > -Infinity ? Infinity : Number.NaN
  }
  if (x < 0.5) return -Math.PI * cotDerivative(order, x - Math.round(x)) - sign * polygamma(order, 1 - x)
  let before = 1 // (order - 1)!
  for (let k = 2; k < order; k++) before *= k
  const factorial = before * order
  let below = 0
  let at = x
  for (; at < 15 + order; at++) below += factorial / at ** (order + 1)
  // (2k + order - 1)! B_2k / (2k)! / x^(2k + order), from the factorial before it on.
  let tail = 0
  let rising = factorial / at ** order
  for (const [i, b] of bernoulli.entries()) {
    const k = 2 * (i + 1)
    rising *= i === 0 ? (order + 1) / (at * at) : ((order + k - 2) * (order + k - 1)) / (at * at)
    tail += b * rising
  }
  return sign * (before / at ** order + factorial / (2 * at ** (order + 1)) + tail + below)
}

/** The derivative of an order of cot(pi x): p(cot), where differentiating takes p to -pi (1 + c^2) p'. */
function cotDerivative(order: number, x: number): number {
  let p = [0, 1]
  for (let n = 0; n < order; n++) {
    const slope = p.slice(1).map((coefficient, i) => -Math.PI * coefficient * (i + 1))
    p = [...slope, 0, 0].map((coefficient, i) => coefficient + (slope[i - 2] ?? 0))
  }
  const c = 1 / Math.tan(Math.PI * x)
  return p.reduceRight((sum, coefficient) => sum * c + coefficient, 0)
}

/** The derivatives of digamma as an operation: float64 inside, rounded once. */
export const polygammaOp: KnownOp<{ readonly order: number }> = {
  name: 'polygamma',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x], { order }) =>
    x!.dtype === 'float64'
      ? new Tensor(
          'float64',
          x!.shape,
          (x!.data as Float64Array).map((value) => polygamma(order, value)),
        )
      : tensor(
          x!.toNumbers().map((value) => polygamma(order, value)),
          { shape: x!.shape, dtype: x!.dtype },
        ),
}

/** The cotangent of x from that of its derivative of an order. */
const rule =
  (order: (attributes: { readonly order: number }) => number): GradientRule =>
  ({ g, inputs, attributes }) => [mul(g, apply(polygammaOp, inputs, { order: order(attributes) }))]

/** Each derivative of lgamma is the gradient of the one before it. */
export const polygammaRules: readonly (readonly [Op, GradientRule])[] = [
  [digammaOp, rule(() => 1)],
  [polygammaOp, rule(({ order }) => order + 1)],
]
