// Tensors whose every operation rounds once, to its own dtype. Read tensor.ts and apply.ts first: a tensor is a dtype,
// a shape and typed-array storage, and all operations go through the one `apply`. order.ts holds the orders of sums.
export { add, atan2, div, maximum, minimum, mul, pow, sub } from './arithmetic.js'
export type { AccumulateOptions } from './accumulate.js'
export { apply, type OutOption, withTrace } from './apply.js'
export { type Constant, constantOp } from './constant.js'
export { recordEverything } from './recordEverything.js'
export { cast } from './cast.js'
export { concat, stack } from './combine.js'
export {
  type Comparison,
  equal,
  greater,
  greaterEqual,
  isFinite,
  isInf,
  isNaN,
  less,
  lessEqual,
  logicalAnd,
  logicalNot,
  logicalOr,
  notEqual,
  type Predicate,
} from './comparison.js'
export {
  arange,
  fromBits,
  full,
  type NumberArray,
  ones,
  type TensorOptions,
  tensor,
  zeros,
} from './create.js'
export { type DType, dtypes, type FloatDType, isFloat, type Storage } from './dtype.js'
export { argmax, argmin, max, min } from './extremum.js'
export { broadcastTo, flip, reshape, transpose } from './layout.js'
export { type MatmulOptions, matmul } from './matmul.js'
export { ops } from './ops.js'
export type { Order, Round } from './order.js'
export { type AxisOptions, mean, type ReduceOptions, sum } from './reduce.js'
export { cumprod, cumsum, type ScanOptions } from './scan.js'
export { scanLane } from './scanLane.js'
export type { Shape } from './shape.js'
export { type Range, slice, split } from './slice.js'
export { sumLane } from './sumLane.js'
export { take } from './take.js'
export { type Nested, type Op, Tensor, type Trace } from './tensor.js'
export { tril, triu } from './triangle.js'
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
  log1p,
  log2,
  log10,
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
  tan,
  tanh,
  trunc,
  type Unary,
} from './unary.js'
export { where } from './where.js'
