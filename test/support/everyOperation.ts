import { type UnaryName, unaryNames } from 'tpu-toolkit/functions'
import type { OpName, Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'

/** An operation as a function of one vector, and where its elements may lie. */
export interface Case {
  readonly f: (x: Tensor) => Tensor
  readonly domain: readonly [low: number, high: number]
}

const usual: readonly [number, number] = [-2, 2]
const domains: Partial<Record<UnaryName, readonly [number, number]>> = {
  ...{ log: [0.2, 3], log2: [0.2, 3], log10: [0.2, 3], log1p: [-0.5, 2], sqrt: [0.2, 3], rsqrt: [0.3, 3] },
  ...{ reciprocal: [0.4, 2], tan: [-1, 1], asin: [-0.8, 0.8], acos: [-0.8, 0.8] },
  ...{ acosh: [1.3, 3], atanh: [-0.8, 0.8], lgamma: [0.4, 4] },
}

const halves = (x: Tensor): [Tensor, Tensor] => {
  const [a, b] = t.split(x, [x.size >> 1])
  return [a!, b!]
}
const square = (x: Tensor): Tensor => t.reshape(x, [4, -1])
const of = (f: (x: Tensor) => Tensor, domain: readonly [number, number] = usual): Case => ({ f, domain })
const two = (f: (a: Tensor, b: Tensor) => Tensor, domain: readonly [number, number] = usual): Case =>
  of((x) => f(...halves(x)), domain)

const unaryCases = Object.fromEntries(
  unaryNames.map((name) => [name, of((x) => t.apply(t.ops[name], [x], undefined), domains[name])]),
) as Record<UnaryName, Case>

const whole = (x: Tensor): Tensor<'int32'> => t.cast(t.mul(x, 8), 'int32')

/** A case of every operation of tensor, for vectors of 16 elements. */
export const everyOperation: { readonly [P in OpName]: Case } = {
  ...unaryCases,
  add: two((a, b) => t.add(a, b)),
  sub: two((a, b) => t.sub(a, b)),
  mul: two((a, b) => t.mul(a, b)),
  div: two((a, b) => t.div(a, b), [0.5, 2]),
  pow: two((a, b) => t.pow(a, b), [0.5, 2]),
  atan2: two((a, b) => t.atan2(a, b), [0.5, 2]),
  hypot: two((a, b) => t.hypot(a, b)),
  rem: two((a, b) => t.rem(a, b), [0.5, 2]),
  minimum: two((a, b) => t.minimum(a, b)),
  maximum: two((a, b) => t.maximum(a, b)),
  where: two((a, b) => t.where(t.greater(a, b), a, t.neg(b))),
  cast: of((x) => t.cast(x, 'float8_e4m3')),
  reshape: of((x) => t.reshape(x, [2, 8])),
  transpose: of((x) => t.transpose(square(x))),
  broadcastTo: of((x) => t.broadcastTo(x, [2, 16])),
  flip: of((x) => t.flip(x)),
  slice: of((x) => t.slice(x, [[1, 9]])),
  take: of((x) => t.take(x, [3, 3, 0])),
  concat: two((a, b) => t.concat([b, a])),
  tril: of((x) => t.tril(square(x))),
  triu: of((x) => t.triu(square(x))),
  sum: of((x) => t.sum(square(x), { axis: 1 })),
  mean: of((x) => t.mean(t.slice(x, [[0, 7]]))),
  max: of((x) => t.max(square(x), { axis: 0 })),
  min: of((x) => t.min(square(x), { axis: 1 })),
  argmax: of((x) => t.argmax(square(x), { axis: 0 })),
  argmin: of((x) => t.argmin(square(x), { axis: 1 })),
  argsort: of((x) => t.argsort(square(x), { axis: 0 })),
  cumsum: of((x) => t.cumsum(square(x), { axis: 1 })),
  cumprod: of((x) => t.cumprod(square(x), { axis: 0 })),
  matmul: two((a, b) => t.matmul(t.reshape(a, [2, 4]), t.reshape(b, [4, 2]))),
  equal: two((a, b) => t.equal(a, b)),
  notEqual: two((a, b) => t.notEqual(a, b)),
  less: two((a, b) => t.less(a, b)),
  lessEqual: two((a, b) => t.lessEqual(a, b)),
  greater: two((a, b) => t.greater(a, b)),
  greaterEqual: two((a, b) => t.greaterEqual(a, b)),
  logicalAnd: two((a, b) => t.logicalAnd(t.greater(a, 0), t.greater(b, 0))),
  logicalOr: two((a, b) => t.logicalOr(t.greater(a, 0), t.greater(b, 0))),
  logicalNot: of((x) => t.logicalNot(t.greater(x, 0))),
  isFinite: of((x) => t.isFinite(x)),
  isInf: of((x) => t.isInf(x)),
  isNaN: of((x) => t.isNaN(x)),
  bitcast: of((x) => t.bitcast(whole(x), 'int16')),
  bitwiseAnd: two((a, b) => t.bitwiseAnd(whole(a), whole(b))),
  bitwiseOr: two((a, b) => t.bitwiseOr(whole(a), whole(b))),
  bitwiseXor: two((a, b) => t.bitwiseXor(whole(a), whole(b))),
  leftShift: two((a, b) => t.leftShift(whole(a), whole(b))),
  rightShiftArithmetic: two((a, b) => t.rightShiftArithmetic(whole(a), whole(b))),
  rightShiftLogical: two((a, b) => t.rightShiftLogical(whole(a), whole(b))),
  truncDiv: two((a, b) => t.truncDiv(whole(a), whole(b))),
  bitwiseNot: of((x) => t.bitwiseNot(whole(x))),
  populationCount: of((x) => t.populationCount(whole(x))),
  countLeadingZeros: of((x) => t.countLeadingZeros(whole(x))),
  reduceAnd: of((x) => t.reduceAnd(whole(square(x)), { axis: 1 })),
  reduceOr: of((x) => t.reduceOr(whole(square(x)), { axis: 1 })),
  reduceXor: of((x) => t.reduceXor(whole(square(x)), { axis: 1 })),
}
