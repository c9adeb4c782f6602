import {
  abs,
  add,
  argmax,
  argmin,
  argsort,
  cast,
  concat,
  cumprod,
  cumsum,
  div,
  dtypeFacts,
  equal,
  exp,
  flip,
  full,
  isFinite,
  isFloat,
  log,
  max,
  mean,
  min,
  oneHot,
  prod,
  type Range,
  reshape,
  slice,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  takeAlongAxis,
  transpose,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { inWide } from './wide.js'

interface Along {
  readonly axis: readonly number[]
  readonly keepDims: boolean
}

/** A reduction over the node's axes; no axes are all of them, or none where the node asks for that. */
const reduction =
  (f: (x: Tensor, along: Along) => Tensor, elementwise: (x: Tensor) => Tensor = (x) => x): Operator =>
  (call, x, axes) => {
    const value = call.need(x, 0)
    const given = call.list('axes', axes) ?? []
    if (given.length === 0 && call.flag('noop_with_empty_axes')) return inWide(value, elementwise)
    const axis =
      given.length === 0 ? value.shape.map((_, i) => i) : given.map((one) => call.axis(one, value.rank))
    return inWide(value, (wide) => f(wide, { axis, keepDims: call.flag('keepdims', 1) }))
  }

/** The largest or smallest element, and of no elements the identity: the end of the dtype. */
function extreme(f: typeof max, name: 'max' | 'min'): (x: Tensor, along: Along) => Tensor {
  return (x, along) => {
    if (x.size > 0) return x.dtype === 'bool' ? cast(f(cast(x, 'int32'), along), 'bool') : f(x, along)
    if (x.dtype === 'bool') return full(shapeWithout(x, along), name === 'max' ? 0 : 1, { dtype: 'bool' })
    const facts = dtypeFacts(x.dtype)
    const end = isFloat(x.dtype)
      ? name === 'max'
        ? -Infinity
        : Infinity
      : name === 'max'
        ? facts.lowest
        : facts.max
    return full(shapeWithout(x, along), end, { dtype: x.dtype })
  }
}

function shapeWithout(x: Tensor, { axis, keepDims }: Along): number[] {
  return x.shape.flatMap((n, i) => (axis.includes(i) ? (keepDims ? [1] : []) : [n]))
}

/** The largest element where it is finite, else 0, kept broadcastable: what a stable softmax subtracts. */
function offset(x: Tensor, axis: readonly number[]): Tensor {
  const top = max(x, { axis, keepDims: true })
  return where(isFinite(top), top, full([], 0, { dtype: x.dtype }))
}

function logSumExp(x: Tensor, along: Along): Tensor {
  if (x.size === 0) return log(sum(x, along))
  const top = offset(x, along.axis)
  const total = add(log(sum(exp(sub(x, top)), { axis: along.axis, keepDims: true })), top)
  return along.keepDims ? total : reshape(total, shapeWithout(x, along))
}

const sumOfSquares = (x: Tensor, along: Along): Tensor => sum(square(x), along)

function meanOf(x: Tensor, along: Along): Tensor {
  if (isFloat(x.dtype)) return mean(x, along)
  // An integer mean is cut toward zero, as NumPy's cast of it.
  return cast(mean(cast(x, 'float64'), along), x.dtype)
}

/** The product along several axes, one after the other. */
function productOf(x: Tensor, { axis, keepDims }: Along): Tensor {
  const whole = [...axis].sort((a, b) => a - b).reduce((y, one) => prod(y, { axis: one, keepDims: true }), x)
  return keepDims ? whole : reshape(whole, shapeWithout(x, { axis, keepDims }))
}

const position =
  (f: typeof argmax): Operator =>
  (call, x) => {
    const value = call.need(x, 0)
    const axis = call.axis(call.number('axis', 0), value.rank)
    const options = { axis, keepDims: call.flag('keepdims', 1) }
    if (!call.flag('select_last_index')) return cast(f(value, options), 'int64')
    const last = value.shape[axis]! - 1
    return cast(sub(last, f(flip(value, { axis }), options)), 'int64')
  }

function topKOf(call: Call, x?: Tensor, k?: Tensor): readonly Tensor[] {
  const value = call.need(x, 0)
  const axis = call.axis(call.number('axis', -1), value.rank)
  const count = call.known(call.need(k, 1), 'its count')[0]!
  const order = argsort(value, { axis, descending: call.flag('largest', 1) })
  const ranges: Range[] = value.shape.map((_, i) => (i === axis ? [0, count] : null))
  const indices = slice(order, ranges)
  return [takeAlongAxis(value, indices, { axis }), cast(indices, 'int64')]
}

const running =
  (f: (x: Tensor, axis: number) => Tensor, start: number): Operator =>
  (call, x, along) => {
    const value = call.need(x, 0)
    const axis = call.axis(call.known(call.need(along, 1), 'its axis')[0]!, value.rank)
    const backwards = call.flag('reverse')
    const forward = backwards ? flip(value, { axis }) : value
    let result = f(forward, axis)
    if (call.flag('exclusive')) {
      const length = value.shape[axis]!
      const first = full(
        value.shape.map((n, i) => (i === axis ? 1 : n)),
        start,
        { dtype: value.dtype },
      )
      const ranges: Range[] = value.shape.map((_, i) => (i === axis ? [0, length - 1] : null))
      result = concat([first, slice(result, ranges)], { axis })
    }
    return backwards ? flip(result, { axis }) : result
  }

/** exp(x - top) / its sum along the node's axis, in float32 for narrow dtypes. */
const softmax =
  (f: (x: Tensor, axis: number) => Tensor): Operator =>
  (call, x) => {
    const value = call.need(x, 0)
    const axis = call.axis(call.number('axis', -1), value.rank)
    return value.size === 0 ? value : inWide(value, (wide) => f(wide, axis))
  }

export function softmaxAlong(x: Tensor, axis: number): Tensor {
  const powers = exp(sub(x, max(x, { axis, keepDims: true })))
  return div(powers, sum(powers, { axis, keepDims: true }))
}

export function logSoftmaxAlong(x: Tensor, axis: number): Tensor {
  const shifted = sub(x, max(x, { axis, keepDims: true }))
  return sub(shifted, log(sum(exp(shifted), { axis, keepDims: true })))
}

function hardmax(x: Tensor, axis: number): Tensor {
  const hot = oneHot(argmax(x, { axis }), x.shape[axis]!, { dtype: x.dtype as 'float32' })
  const order = x.shape.map((_, i) => i)
  // The new axis is the last one: it goes to where the axis was.
  const places = order.map((i) => (i < axis ? i : i === axis ? x.rank - 1 : i - 1))
  return transpose(hot, places)
}

function lpNormalized(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  const axis = call.axis(call.number('axis', -1), value.rank)
  const p = call.number('p', 2)
  return inWide(value, (wide) => {
    const along = { axis: [axis], keepDims: true }
    const norm = p === 1 ? sum(abs(wide), along) : sqrt(sumOfSquares(wide, along))
    // A row of zeros stays as it is.
    const safe = where(equal(norm, 0), full([], 1, { dtype: norm.dtype }), norm)
    return div(wide, safe)
  })
}

/** Reductions, running sums, and what is made of them. */
export const reductionOperators: Readonly<Record<string, Operator>> = {
  ArgMax: position(argmax),
  ArgMin: position(argmin),
  CumProd: running((x, axis) => cumprod(x, { axis }), 1),
  CumSum: running((x, axis) => cumsum(x, { axis }), 0),
  Hardmax: softmax(hardmax),
  LogSoftmax: softmax(logSoftmaxAlong),
  LpNormalization: lpNormalized,
  ReduceL1: reduction((x, along) => sum(abs(x), along), abs),
  ReduceL2: reduction((x, along) => sqrt(sumOfSquares(x, along)), abs),
  ReduceLogSum: reduction((x, along) => log(sum(x, along)), log),
  ReduceLogSumExp: reduction(logSumExp),
  ReduceMax: reduction(extreme(max, 'max')),
  ReduceMean: reduction(meanOf),
  ReduceMin: reduction(extreme(min as typeof max, 'min')),
  ReduceProd: reduction(productOf),
  ReduceSum: reduction((x, along) => sum(x, along)),
  ReduceSumSquare: reduction(sumOfSquares, square),
  Softmax: softmax(softmaxAlong),
  TopK: topKOf,
}
