// bfloat16, the format this package is about, under short names: a fast implementation of formats for one format. Codes are numbers 0..65535,
// arrays of codes Uint16Array. Read cast.ts and arithmetic.ts first, then encodeArrays.ts.

export { add, div, fma, max, min, mul, sub } from './arithmetic.js'
export { fromNumber, round, toNumber } from './cast.js'
export type { UnaryCode } from './unary.js'
export {
  abs,
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atanh,
  cbrt,
  ceil,
  cos,
  cosh,
  erf,
  erfc,
  exp,
  exp2,
  expm1,
  floor,
  gelu,
  geluTanh,
  lgamma,
  log,
  log10,
  log1p,
  log2,
  neg,
  reciprocal,
  relu,
  rint,
  rsqrt,
  sigmoid,
  sign,
  silu,
  sin,
  sinh,
  softplus,
  sqrt,
  square,
  table,
  tan,
  tanh,
  trunc,
} from './unary.js'
export { addArrays, divArrays, maxArrays, minArrays, mulArrays, subArrays } from './arithmeticArrays.js'
export { cumsumArray, cumsumFloat32, sumArray, sumFloat32 } from './cumsumArrays.js'
export { decode } from './decodeArrays.js'
export { encode } from './encodeArrays.js'
export { mapArray } from './mapArray.js'
export { matmulArrays } from './matmulArrays.js'
