// Tensors whose every operation rounds once, to its own dtype. Read storage/tensor.ts and storage/apply.ts first: a
// tensor is a dtype, a shape and typed-array storage, and all operations go through the one `apply`. Rooms: storage,
// elementwise, layout, reductions; ops.ts has the record of every operation, reads.ts what a result reads.
export {
  add,
  atan2,
  div,
  hypot,
  maximum,
  minimum,
  mul,
  pow,
  rem,
  sub,
} from './elementwise/arithmetic.js'
export type { Binary } from './elementwise/binaryOp.js'
export { type Bitcasting, bitcast } from './elementwise/bitcast.js'
export {
  type Bitwise,
  bitwiseAnd,
  bitwiseNot,
  bitwiseOr,
  bitwiseXor,
  countLeadingZeros,
  leftShift,
  populationCount,
  rightShiftArithmetic,
  rightShiftLogical,
  truncDiv,
} from './elementwise/bitwise.js'
export { type BitwiseReduction, reduceAnd, reduceOr, reduceXor } from './reductions/bitwise.js'
export { type AccumulateOptions, type Accumulation, holds } from './reductions/accumulate.js'
export { canonicalizeNaN } from './storage/nan.js'
export { apply, type OutOption, withTrace } from './storage/apply.js'
export { type Constant, constantOp } from './storage/constant.js'
export { recordEverything } from './storage/recordEverything.js'
export { type Applied, observe } from './storage/observe.js'
export { type Substitution, substitute } from './storage/substitute.js'
export {
  timed,
  timedWork,
  type Timer,
  currentTimer,
  untimed,
  type Work,
  type WorkTensors,
} from './storage/timing.js'
export { currentSite, withLocation, siteOf, stackOf, withDeepStacks } from './storage/siteOf.js'
export { type Casting, cast } from './elementwise/cast.js'
export { concat, type JoinOptions, type Joining, stack } from './layout/combine.js'
export {
  type Comparison,
  type ComparisonName,
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
} from './elementwise/comparison.js'
export {
  arange,
  fromBits,
  full,
  type NumberArray,
  ones,
  type DTypeOption,
  type TensorOptions,
  tensor,
  zeros,
} from './storage/create.js'
export {
  checkFloatDType,
  type DType,
  dtypes,
  type FloatDType,
  type IntegerDType,
  isFloat,
  isInteger,
  roundingTo,
  type Storage,
  wideDType,
} from './storage/dtype.js'
export { type DTypeFacts, dtypeFacts } from './storage/dtypeFacts.js'
export { argsort, type SortOptions, type Sorting } from './reductions/argsort.js'
export { argmax, argmin, type Extremum, type PositionOptions, max, min } from './reductions/extremum.js'
export { type Axes, broadcastTo, flip, reshape, type Shaping, transpose } from './layout/layout.js'
export { type MatmulOptions, matmul } from './reductions/matmul.js'
export { entryOf, noRows, type OpName, type Ops, type OpTable, opName, opNames, ops } from './ops.js'
export { type Order, orders, type Round } from './reductions/order.js'
export { mean, type ReduceOptions, type Reduction, sum } from './reductions/reduce.js'
export { cumprod, cumsum, type Scan, type ScanOptions } from './reductions/scan.js'
export { scanLane } from './reductions/scanLane.js'
export { isWatched } from './storage/isWatched.js'
export { elementsOf, isSealed, seal } from './storage/seal.js'
export { type Shape, sameShape, sizeOf, stridesOf } from './storage/shape.js'
export { type Range, type Slicing, slice, split } from './layout/slice.js'
export { type Form, formOf, type Reads, type Rounds, roundsOf } from './storage/op.js'
export { flopsOf, productOf } from './flopsOf.js'
export { broadcastPlaces, type LaneTable, lanesRead, movedPlaces, placesRead, reads } from './reads.js'
export { sumLane } from './reductions/sumLane.js'
export { type Taking, take } from './layout/take.js'
export { type KnownOp, type Nested, type Op, type OpCotangent, Tensor, type Trace } from './storage/tensor.js'
export { type Diagonal, tril, triu } from './layout/triangle.js'
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
} from './elementwise/unary.js'
export { untraced } from './storage/untraced.js'
export { where } from './elementwise/where.js'
export type { AxisOptions } from './storage/axisOptions.js'
export { checkTensor } from './storage/checkCall.js'
export { all, any } from './composed/allAny.js'
export { allClose, type CloseOptions } from './composed/allClose.js'
export { clip } from './composed/clip.js'
export { einsum } from './composed/einsum.js'
export { type EyeOptions, eye } from './composed/eye.js'
export { type Hadamard, type HadamardOptions, hadamard, hadamardOp } from './composed/hadamard.js'
export { matrixTranspose } from './composed/matrixTranspose.js'
export { flush, flushOp } from './composed/flush.js'
export { logAddExpOp } from './composed/logAddExpOp.js'
export { scaleGradientOp } from './composed/scaleGradientOp.js'
export { stopGradientOp } from './composed/stopGradientOp.js'
export { onesLike, zerosLike } from './composed/like.js'
export { indexedOps, type Scattering, type ScatteringAt } from './composed/scatter.js'
export { type LinspaceOptions, linspace } from './composed/linspace.js'
export { type OneHotOptions, oneHot } from './composed/oneHot.js'
export { outer } from './composed/outer.js'
export { type PadOptions, pad } from './composed/pad.js'
export { type ProdOptions, prod } from './composed/prod.js'
export { type RollOptions, roll } from './composed/roll.js'
export { type ScatterAddOptions, scatterAdd } from './composed/scatterAdd.js'
export { sort, type TopKOptions, topK } from './composed/sort.js'
export { expandDims, type SqueezeOptions, squeeze } from './composed/squeeze.js'
export { type AlongOptions, takeAlongAxis } from './composed/takeAlongAxis.js'
