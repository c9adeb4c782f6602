import { checkName, checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import {
  add,
  broadcastTo,
  checkTensor,
  type DType,
  div,
  mean,
  mul,
  reshape,
  slice,
  square,
  sub,
  type Tensor,
  wideDType,
  zeros,
} from '../tensors/tensor/index.js'
import { divideByCount } from './divideByCount.js'
import { type InternalOptions, inside, internalNames } from './internal.js'

/** How a variance is computed, and along which axis. */
export interface VarianceOptions extends InternalOptions {
  /** Mean, then squares of differences; mean of squares minus square of the mean; or Welford's update. Default 'two-pass'. */
  readonly method?: 'two-pass' | 'one-pass' | 'welford'
  /** Default: all elements. */
  readonly axis?: number
  /** Keep the reduced axis with length 1. Default false. */
  readonly keepDims?: boolean
}

export const varianceNames: OptionTable<VarianceOptions> = {
  ...internalNames,
  method: 'optional',
  axis: 'optional',
  keepDims: 'optional',
}

/**
 * Variance, divided by the exact count n.
 *
 * Shape     x without `axis`, default all.
 * Dtype     that of x, a float.
 * Rounding  each step to `internal` (default float32, float64 of float64, as jnp.var), k in Welford's update too; then once
 *           to the dtype of x. With `accumulate` and no `internal` each step rounds to the dtype of x, its sums to `accumulate`.
 *           two-pass: m = mean x, c = x - m, mean of c c. one-pass: mean of x x, minus m m; a difference of two large
 *           numbers, often negative in bfloat16. welford: d = x - M, M += d / k, S += d (x - M), S / n; sequential.
 * Special   NaN or Inf gives NaN; one element 0; none NaN.
 * Error     relative, first order, k^2 = 1 + mean^2 / variance: two-pass (n + 4) u + (n u k)^2, one-pass 3 (n + 2) u k^2,
 *           welford a few n u k, tested with 3 (n + 2) u k.
 * Source    Chan, Golub, LeVeque, Algorithms for computing the sample variance, doi:10.1080/00031305.1983.10483115
 *
 * @example variance(tensor([1, 2, 3, 4])).item() // 1.25
 * @example variance(tensor([100, 101, 102], { dtype: 'bfloat16' })).item() // 0.66796875
 * @example variance(tensor([100, 101, 102], { dtype: 'bfloat16' }), { method: 'one-pass', accumulate: 'bfloat16' }).item() // -64
 */
export function variance<D extends DType>(x: Tensor<D>, options: VarianceOptions = noOptions): Tensor<D> {
  checkOptions('variance', options, varianceNames, { positional: 'axis' })
  const { method = 'two-pass', axis, keepDims = false, ...given } = options
  checkName('variance', 'method', method, ['two-pass', 'one-pass', 'welford'])
  checkTensor('variance', x)
  const along = axis === undefined ? {} : { axis }
  const wide = given.accumulate === undefined ? { internal: wideDType(x.dtype) } : {}
  return inside('variance', x, { ...wide, ...given }, (v, how) => {
    if (method === 'welford') return welford(v, axis, keepDims)
    const m = mean(v, { ...how, ...along, keepDims: method === 'two-pass' ? true : keepDims })
    if (method === 'two-pass') return mean(square(sub(v, m)), { ...how, ...along, keepDims })
    return sub(mean(square(v), { ...how, ...along, keepDims }), square(m))
  })
}

/** Welford's update, Note on a method for calculating corrected sums of squares and products, doi:10.2307/1266577. */
function welford(x: Tensor, axis: number | undefined, keepDims: boolean): Tensor {
  const v = axis === undefined ? reshape(x, [x.size]) : x
  const front = axis === undefined ? 0 : axis < 0 ? axis + x.rank : axis
  // The mean is asked for its shape only, and to refuse an axis that x has not.
  const { shape } = mean(x, axis === undefined ? { keepDims } : { axis, keepDims })
  const kept = v.shape.filter((_, axis) => axis !== front)
  const n = v.shape[front]!
  const before = v.shape.slice(0, front).map(() => null)
  let m: Tensor = zeros(kept, { dtype: x.dtype })
  let s = m
  for (let k = 1; k <= n; k++) {
    const value = slice(v, [...before, k - 1])
    const d = sub(value, m)
    m = add(m, div(d, k))
    s = add(s, mul(d, sub(value, m)))
  }
  return reshape(broadcastTo(divideByCount(s, n, x.dtype), kept), shape)
}
