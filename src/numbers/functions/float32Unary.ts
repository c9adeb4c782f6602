import { erf, erfc, gelu } from './float32/errorFunction.js'
import { cosh, exp, exp2, expm1, geluTanh, sigmoid, silu, sinh, tanh } from './float32/exponential.js'
import { acos, asin, atan } from './float32/inverse.js'
import { acosh, asinh, atanh, log, log1p, log2, log10, softplus } from './float32/logarithm.js'
import { cbrt, rsqrt } from './float32/roots.js'
import { cos, sin, tan } from './float32/trigonometric.js'
import { float32Lgamma } from './float32Lgamma.js'
import { type UnaryName, unary } from './unary.js'

/**
 * The unary functions of float32 numbers, correctly rounded to float32, by additions, multiplications, divisions and
 * square roots of float64 alone: the same bits in every engine.
 *
 * Special   as `unary`.
 * Source    the method is that of CORE-MATH (Sibidanov, Zimmermann, Glondu, doi:10.1109/ARITH54963.2022.00014): a float64
 *           value, a rounding test, the operands that it leaves open listed. `npm run test:exhaustive -- functions`
 *           compares them with hashes of MPFR's results of all 2^32 operands; docs/exactness.md says which were compared whole.
 *
 * @example float32Unary.exp(1) // 2.7182817459106445
 */
export const float32Unary: Readonly<Record<UnaryName, (x: number) => number>> = Object.freeze({
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sqrt: (x: number) => Math.fround(Math.sqrt(x)),
  rsqrt,
  cbrt,
  reciprocal: (x: number) => Math.fround(1 / x),
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  sigmoid,
  softplus,
  silu,
  gelu,
  geluTanh,
  erf,
  erfc,
  lgamma: float32Lgamma,
  square: (x: number) => Math.fround(x * x),
  abs: unary.abs,
  neg: unary.neg,
  sign: unary.sign,
  floor: unary.floor,
  ceil: unary.ceil,
  rint: unary.rint,
  trunc: unary.trunc,
  relu: unary.relu,
})
