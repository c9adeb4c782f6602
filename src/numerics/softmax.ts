import { checkOptions, noOptions, type OptionHints, type OptionTable } from '../base/options/index.js'
import {
  type AxisOptions,
  add,
  apply,
  type DType,
  div,
  exp,
  isFinite as isFiniteNumber,
  log,
  max,
  reshape,
  stopGradientOp,
  sub,
  sum,
  type Tensor,
  where,
} from '../tensors/tensor/index.js'
import { type InternalOptions, inside, internalNames } from './internal.js'

/** How softmax and logSoftmax compute, and along which axis. */
export interface SoftmaxOptions extends InternalOptions {
  /** Default: the last. */
  readonly axis?: number
}

const softmaxNames: OptionTable<SoftmaxOptions> = { ...internalNames, axis: 'optional' }
const logsumexpNames: OptionTable<InternalOptions & AxisOptions> = { ...softmaxNames, keepDims: 'optional' }
const axisFirst: OptionHints = { positional: 'axis' }

/**
 * exp(x) / sum exp(x), shifted by the maximum.
 *
 * Shape     that of x; `axis` default the last.
 * Dtype     that of x, a float.
 * Rounding  op by op, as jax.nn.softmax: d = x - max, e = exp d, s = sum e (added in `accumulate`, default float32), e / s,
 *           each to `internal` (default the dtype of x); 'float32' rounds once, at the end.
 * Special   a NaN, a +Inf, or nothing but -Inf along the axis makes all of it NaN. An axis of length 0 gives no elements.
 * Error     relative, first order: (2 D + 3) u + n 2^-24 with D the largest |x - max|, whose rounding is an error of the
 *           exponent; n u in place of n 2^-24 where `accumulate` is the dtype of x; with internal 'float32' half an ulp +
 *           (2 D + n + 2) 2^-24.
 *
 * @example softmax(tensor([0, 0, 0, 0])).toNested() // [0.25,0.25,0.25,0.25]
 */
export function softmax<D extends DType>(x: Tensor<D>, options: SoftmaxOptions = noOptions): Tensor<D> {
  checkOptions('softmax', options, softmaxNames, axisFirst)
  const { axis = -1, ...given } = options
  return inside('softmax', x, given, (v, how) => {
    if (v.size === 0) return v
    const e = exp(sub(v, constant(max(v, { axis, keepDims: true }))))
    return div(e, sum(e, { ...how, axis, keepDims: true }))
  })
}

/**
 * x - max - log(sum exp(x - max)).
 *
 * Shape     that of x; `axis` default the last. Dtype that of x, a float. Special as `softmax`.
 * Rounding  as `softmax`, then log s and the difference d - log s, each.
 *
 * @example logSoftmax(tensor([1000, 1000], { dtype: 'bfloat16' })).toNested() // [-0.69140625,-0.69140625]
 */
export function logSoftmax<D extends DType>(x: Tensor<D>, options: SoftmaxOptions = noOptions): Tensor<D> {
  checkOptions('logSoftmax', options, softmaxNames, axisFirst)
  const { axis = -1, ...given } = options
  return inside('logSoftmax', x, given, (v, how) => {
    if (v.size === 0) return v
    const d = sub(v, constant(max(v, { axis, keepDims: true })))
    return sub(d, log(sum(exp(d), { ...how, axis, keepDims: true })))
  })
}

/**
 * log(sum exp x), shifted by the maximum.
 *
 * Shape     x without the axes (all by default); with `keepDims` they stay with length 1.
 * Dtype     that of x, a float.
 * Rounding  as `softmax`, then log s and max + log s, each.
 * Special   nothing but -Inf, or no elements: -Inf. A +Inf gives +Inf, a NaN NaN.
 *
 * @example logsumexp(tensor([1000, 1000])).item() // 1000.6931762695312
 * @example logsumexp(tensor([-Infinity, -Infinity])).item() // -Infinity
 */
export function logsumexp<D extends DType>(
  x: Tensor<D>,
  options: InternalOptions & AxisOptions = noOptions,
): Tensor<D> {
  checkOptions('logsumexp', options, logsumexpNames, axisFirst)
  const { keepDims = false, axis, ...given } = options
  const along = axis === undefined ? {} : { axis }
  return inside('logsumexp', x, given, (v, sums) => {
    const how = { ...sums, ...along }
    if (v.size === 0) return log(sum(v, { ...how, keepDims }))
    const largest = constant(max(v, { ...along, keepDims: true }))
    // An infinite maximum would turn every difference into NaN; 0 leaves the infinities to exp and log.
    const shift = where(isFiniteNumber(largest), largest, 0)
    const s = sum(exp(sub(v, shift)), { ...how, keepDims })
    return add(reshape(shift, s.shape), log(s))
  })
}

/** The same elements, which gradients take as a constant. */
function constant<D extends DType>(x: Tensor<D>): Tensor<D> {
  return apply(stopGradientOp, [x], undefined) as Tensor<D>
}
