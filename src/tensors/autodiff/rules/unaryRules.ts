import { type UnaryName, unaryNames } from '../../../numbers/functions/index.js'
import {
  add,
  apply,
  cos,
  cosh,
  div,
  erfc,
  exp,
  greater,
  mul,
  neg,
  rsqrt,
  sigmoid,
  sign,
  sin,
  sinh,
  square,
  sub,
  type Tensor,
  tanh,
  where,
} from '../../tensor/index.js'
import { recordOf } from '../graph/recordOf.js'
import { digammaOp } from './digamma.js'
import type { GradientRule } from './gradientRule.js'

/** The cotangent of x from that of y = f(x), in operations of their dtype. */
type Derivative = (g: Tensor, x: Tensor, y: Tensor) => Tensor

const gaussian = Math.sqrt(2 / Math.PI)

/** g 2/sqrt(pi) exp(-x^2), the derivative of erf. */
const bell: Derivative = (g, x) => mul(g, mul(exp(neg(square(x))), 2 / Math.sqrt(Math.PI)))

/** (1 - x) (1 + x), which keeps its digits near 1, where 1 - x^2 cancels. */
const oneMinusSquare = (x: Tensor): Tensor => mul(sub(1, x), add(x, 1))

/** Phi(x) + x phi(x), the normal distribution and its density. */
const gelu: Derivative = (g, x) => {
  const distribution = mul(erfc(mul(x, -Math.SQRT1_2)), 0.5)
  const density = mul(exp(mul(square(x), -0.5)), gaussian / 2)
  return mul(g, add(distribution, mul(x, density)))
}

/** y = x (1 + t) / 2 with t = tanh(u), u = sqrt(2 / pi) (x + 0.044715 x^3): y' = (1 + t) / 2 + x (1 - t^2) u' / 2. */
const geluTanh: Derivative = (g, x) => {
  const squared = square(x)
  const t = tanh(mul(mul(add(mul(squared, 0.044715), 1), x), gaussian))
  const inner = mul(add(mul(squared, 3 * 0.044715), 1), gaussian)
  const outer = mul(mul(oneMinusSquare(t), x), inner)
  return mul(g, mul(add(add(t, 1), outer), 0.5))
}

/**
 * Derivatives of the unary functions, written with their result y where that saves a rounding. Each operation rounds to
 * the dtype, so in bfloat16 a derivative of k operations is off by about k half ulps.
 * Special   relu, abs and sign at a kink have derivative 0, as in JAX but for abs, which has 1 there. At an infinite x a formula
 *           may meet 0 times Inf: the derivatives of gelu and geluTanh are NaN there, that of silu at Inf, and 0 at -Inf.
 * Source    derivatives as in Abramowitz and Stegun, Handbook of Mathematical Functions, 4.2 to 4.6, 6.3, 7.1.
 */
const derivatives: Readonly<Record<UnaryName, Derivative | 'none'>> = {
  exp: (g, _, y) => mul(g, y),
  exp2: (g, _, y) => mul(g, mul(y, Math.LN2)),
  expm1: (g, _, y) => mul(g, add(y, 1)),
  log: (g, x) => div(g, x),
  log2: (g, x) => div(g, mul(x, Math.LN2)),
  log10: (g, x) => div(g, mul(x, Math.LN10)),
  log1p: (g, x) => div(g, add(x, 1)),
  sqrt: (g, _, y) => mul(g, div(0.5, y)),
  rsqrt: (g, x, y) => mul(g, mul(div(y, x), -0.5)),
  cbrt: (g, _, y) => div(g, mul(square(y), 3)),
  reciprocal: (g, _, y) => neg(mul(g, square(y))),
  sin: (g, x) => mul(g, cos(x)),
  cos: (g, x) => neg(mul(g, sin(x))),
  tan: (g, _, y) => mul(g, add(square(y), 1)),
  asin: (g, x) => mul(g, rsqrt(oneMinusSquare(x))),
  acos: (g, x) => neg(mul(g, rsqrt(oneMinusSquare(x)))),
  atan: (g, x) => div(g, add(square(x), 1)),
  sinh: (g, x) => mul(g, cosh(x)),
  cosh: (g, x) => mul(g, sinh(x)),
  tanh: (g, _, y) => mul(g, oneMinusSquare(y)),
  asinh: (g, x) => mul(g, rsqrt(add(square(x), 1))),
  acosh: (g, x) => mul(g, rsqrt(mul(sub(x, 1), add(x, 1)))),
  atanh: (g, x) => div(g, oneMinusSquare(x)),
  sigmoid: (g, _, y) => mul(g, mul(y, sub(1, y))),
  softplus: (g, x) => mul(g, sigmoid(x)),
  silu: (g, x, y) => {
    const s = sigmoid(x)
    return mul(g, add(s, mul(y, sub(1, s))))
  },
  gelu,
  geluTanh,
  erf: bell,
  erfc: (g, x) => neg(bell(g, x, x)),
  lgamma: (g, x) => mul(g, apply(digammaOp, [x], undefined)),
  square: (g, x) => mul(g, mul(x, 2)),
  abs: (g, x) => mul(g, sign(x)),
  neg: (g) => neg(g),
  relu: (g, x) => where(greater(x, 0), g, 0),
  sign: 'none',
  floor: 'none',
  ceil: 'none',
  rint: 'none',
  trunc: 'none',
}

/** The rule of a unary function; 'none' of those that are steps. */
function unaryRule(name: UnaryName): GradientRule | 'none' {
  const derivative = derivatives[name]
  return derivative === 'none' ? 'none' : ({ g, inputs, output }) => [derivative(g, inputs[0]!, output)]
}

/** The rules of the unary functions; steps have none. */
export const unaryRules: Readonly<Record<UnaryName, GradientRule | 'none'>> = recordOf(unaryNames, unaryRule)
