import * as t from 'tpu-toolkit/tensor'

/** A fresh operand, recorded, so that the result's trace says what was run: numbers, or bools. */
export interface Draw {
  numbers(...shape: number[]): t.Tensor
  bools(...shape: number[]): t.Tensor<'bool'>
}

const unary = (f: t.Unary) => (draw: Draw) => f(draw.numbers(2, 3))
const pair = (f: (a: t.Tensor, b: t.Tensor) => t.Tensor) => (draw: Draw) =>
  f(draw.numbers(2, 3), draw.numbers(3))
const bools = (f: (a: t.Tensor<'bool'>, b: t.Tensor<'bool'>) => t.Tensor) => (draw: Draw) =>
  f(draw.bools(2, 3), draw.bools(2, 1))
const whole = (x: t.Tensor): t.Tensor<'int32'> => t.cast(x, 'int32')
const integers = (f: (a: t.Tensor<'int32'>, b: t.Tensor<'int32'>) => t.Tensor) => (draw: Draw) =>
  f(whole(draw.numbers(2, 3)), whole(draw.numbers(3)))
const own = (x: t.Tensor): t.FloatDType => (t.isFloat(x.dtype) ? x.dtype : 'float64')

/** One call of every operation, on operands that the test draws. */
export const opCases: { readonly [P in t.OpName]: (draw: Draw) => t.Tensor } = {
  abs: unary(t.abs),
  acos: unary(t.acos),
  acosh: unary((x) => t.acosh(x)),
  asin: unary(t.asin),
  asinh: unary(t.asinh),
  atan: unary(t.atan),
  atanh: unary(t.atanh),
  cbrt: unary(t.cbrt),
  ceil: unary(t.ceil),
  cos: unary(t.cos),
  cosh: unary(t.cosh),
  erf: unary(t.erf),
  erfc: unary(t.erfc),
  exp: unary(t.exp),
  exp2: unary(t.exp2),
  expm1: unary(t.expm1),
  floor: unary(t.floor),
  gelu: unary(t.gelu),
  geluTanh: unary(t.geluTanh),
  lgamma: unary(t.lgamma),
  log: unary(t.log),
  log10: unary(t.log10),
  log1p: unary(t.log1p),
  log2: unary(t.log2),
  neg: unary(t.neg),
  reciprocal: unary(t.reciprocal),
  relu: unary(t.relu),
  rint: unary(t.rint),
  rsqrt: unary(t.rsqrt),
  sigmoid: unary(t.sigmoid),
  sign: unary(t.sign),
  silu: unary(t.silu),
  sin: unary(t.sin),
  sinh: unary(t.sinh),
  softplus: unary(t.softplus),
  sqrt: unary(t.sqrt),
  square: unary(t.square),
  tan: unary(t.tan),
  tanh: unary(t.tanh),
  trunc: unary(t.trunc),
  add: pair(t.add),
  sub: pair(t.sub),
  mul: pair(t.mul),
  div: pair(t.div),
  minimum: pair(t.minimum),
  maximum: pair(t.maximum),
  pow: pair(t.pow),
  atan2: pair(t.atan2),
  hypot: pair(t.hypot),
  rem: pair(t.rem),
  bitcast: (draw) => t.bitcast(whole(draw.numbers(2, 3)), 'int16'),
  bitwiseAnd: integers((a, b) => t.bitwiseAnd(a, b)),
  bitwiseOr: integers((a, b) => t.bitwiseOr(a, b)),
  bitwiseXor: integers((a, b) => t.bitwiseXor(a, b)),
  leftShift: integers((a, b) => t.leftShift(a, b)),
  rightShiftArithmetic: integers((a, b) => t.rightShiftArithmetic(a, b)),
  rightShiftLogical: integers((a, b) => t.rightShiftLogical(a, b)),
  truncDiv: integers((a, b) => t.truncDiv(a, b)),
  bitwiseNot: (draw) => t.bitwiseNot(whole(draw.numbers(5))),
  populationCount: (draw) => t.populationCount(whole(draw.numbers(5))),
  countLeadingZeros: (draw) => t.countLeadingZeros(whole(draw.numbers(5))),
  reduceAnd: (draw) => t.reduceAnd(whole(draw.numbers(3, 4)), { axis: 1 }),
  reduceOr: (draw) => t.reduceOr(whole(draw.numbers(3, 4)), { axis: 0 }),
  reduceXor: (draw) => t.reduceXor(whole(draw.numbers(3, 4)), { axis: 1 }),
  equal: pair(t.equal),
  notEqual: pair(t.notEqual),
  less: pair(t.less),
  lessEqual: pair(t.lessEqual),
  greater: pair(t.greater),
  greaterEqual: pair(t.greaterEqual),
  logicalAnd: bools(t.logicalAnd),
  logicalOr: bools(t.logicalOr),
  logicalNot: (draw) => t.logicalNot(draw.bools(4)),
  isFinite: (draw) => t.isFinite(draw.numbers(4)),
  isInf: (draw) => t.isInf(draw.numbers(4)),
  isNaN: (draw) => t.isNaN(draw.numbers(4)),
  where: (draw) => t.where(draw.bools(3, 1), draw.numbers(3, 2), draw.numbers(2)),
  cast: (draw) => t.cast(draw.numbers(5), 'float32'),
  reshape: (draw) => t.reshape(draw.numbers(2, 3), [3, 2]),
  transpose: (draw) => t.transpose(draw.numbers(2, 3, 2), [2, 0, 1]),
  broadcastTo: (draw) => t.broadcastTo(draw.numbers(2, 1), [3, 2, 2]),
  flip: (draw) => t.flip(draw.numbers(2, 3), { axis: 1 }),
  slice: (draw) => t.slice(draw.numbers(4, 3), [[3, null, -2], 1]),
  take: (draw) => t.take(draw.numbers(3, 2), [2, 0, 2], { axis: 0 }),
  concat: (draw) => t.concat([draw.numbers(2, 1), draw.numbers(2, 2)], { axis: 1 }),
  tril: (draw) => t.tril(draw.numbers(2, 3, 3)),
  triu: (draw) => t.triu(draw.numbers(3, 3), { k: 1 }),
  sum: (draw) => {
    const x = draw.numbers(2, 2, 9)
    return t.sum(x, { axis: [0, 2], accumulate: own(x) })
  },
  mean: (draw) => {
    const x = draw.numbers(3, 4)
    return t.mean(x, { axis: 0, accumulate: own(x) })
  },
  max: (draw) => t.max(draw.numbers(3, 4), { axis: 1, keepDims: true }),
  min: (draw) => t.min(draw.numbers(3, 4), { axis: 0 }),
  argmax: (draw) => t.argmax(draw.numbers(3, 4), { axis: 0 }),
  argsort: (draw) => t.argsort(draw.numbers(3, 4), { axis: 0, descending: true }),
  argmin: (draw) => t.argmin(draw.numbers(3, 4), { axis: 1 }),
  cumsum: (draw) => t.cumsum(draw.numbers(2, 4, 3), { axis: 1 }),
  cumprod: (draw) => t.cumprod(draw.numbers(4, 3), { axis: 0 }),
  matmul: (draw) => {
    const a = draw.numbers(2, 1, 2, 3)
    return t.matmul(a, draw.numbers(3, 3, 2), { accumulate: own(a) })
  },
}
