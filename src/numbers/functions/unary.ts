import { erf, erfc } from './erf.js'
import { gelu, geluTanh, silu } from './gelu.js'
import { lgamma } from './lgamma.js'
import { sigmoid } from './sigmoid.js'

/** The names of the unary functions. */
export type UnaryName =
  | 'exp'
  | 'exp2'
  | 'expm1'
  | 'log'
  | 'log2'
  | 'log10'
  | 'log1p'
  | 'sqrt'
  | 'rsqrt'
  | 'cbrt'
  | 'reciprocal'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'asinh'
  | 'acosh'
  | 'atanh'
  | 'sigmoid'
  | 'softplus'
  | 'silu'
  | 'gelu'
  | 'geluTanh'
  | 'erf'
  | 'erfc'
  | 'lgamma'
  | 'square'
  | 'abs'
  | 'neg'
  | 'sign'
  | 'floor'
  | 'ceil'
  | 'rint'
  | 'trunc'
  | 'relu'

/** exp2 by exp of at most ln(2) / 2: engines differ in how exact 2 ** x is. */
function exp2(x: number): number {
  if (!(Math.abs(x) < 2000)) return x > 0 ? Infinity : x < 0 ? 0 : x
  const whole = Math.round(x)
  return Math.exp((x - whole) * Math.LN2) * 2 ** whole
}

function softplus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x))
}

/** Nearest integer, ties to even, -0 kept. */
function rint(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x
  const shift = x < 0 || Object.is(x, -0) ? -(2 ** 52) : 2 ** 52
  const rounded = x + shift - shift
  return rounded === 0 && shift < 0 ? -0 : rounded
}

/**
 * The unary functions in float64: Math's where there is one, else own forms that keep their precision everywhere.
 *
 * Special   as C99 Annex F. relu(-0) is +0, sign(+-0) is +-0, rsqrt(+-0) is +-Infinity, lgamma at its poles
 *           +Infinity; at -Infinity sigmoid and softplus are +0, silu, gelu and geluTanh -0.
 * Error     against MPFR: 1.7 ulp (sigmoid, tanh), erf erfc silu gelu geluTanh lgamma 1 ulp, lgamma below -20 2 ulp,
 *           subnormal results included. Engines may differ in the last bits of Math's functions.
 *
 * @example unary.rint(2.5) // 2
 */
export const unary: Readonly<Record<UnaryName, (x: number) => number>> = Object.freeze({
  exp: Math.exp,
  exp2,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sqrt: Math.sqrt,
  rsqrt: (x: number) => (x === 0 ? 1 / x : 1 / Math.sqrt(x)),
  cbrt: Math.cbrt,
  reciprocal: (x: number) => 1 / x,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  sigmoid,
  softplus,
  silu,
  gelu,
  geluTanh,
  erf,
  erfc,
  lgamma,
  square: (x: number) => x * x,
  abs: Math.abs,
  neg: (x: number) => -x,
  sign: Math.sign,
  floor: Math.floor,
  ceil: Math.ceil,
  rint,
  trunc: Math.trunc,
  relu: (x: number) => (x > 0 ? x : Number.isNaN(x) ? x : 0),
})

/** The names of the unary functions, in the order of `unary`. */
export const unaryNames: readonly UnaryName[] = Object.freeze(Object.keys(unary) as UnaryName[])
