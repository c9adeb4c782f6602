import { checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import {
  type AxisOptions,
  abs,
  type DType,
  max,
  sqrt,
  square,
  sum,
  type Tensor,
} from '../tensors/tensor/index.js'
import { type InternalOptions, inside } from './internal.js'
import { type VarianceOptions, variance, varianceNames } from './variance.js'

/** Which norm, and how it is computed. */
export interface NormOfOptions extends InternalOptions, AxisOptions {
  /** Root of the sum of squares, sum of magnitudes, or largest magnitude. Default 2. */
  readonly ord?: 1 | 2 | typeof Infinity
}

const names: OptionTable<NormOfOptions> = {
  ...{ ord: 'optional', axis: 'optional', keepDims: 'optional' },
  ...{ internal: 'optional', order: 'optional', accumulate: 'optional' },
}

/**
 * The norm of the elements along axes, all by default, as vectors.
 *
 * Shape     x without the axes. Dtype that of x, a float.
 * Rounding  each step to `internal` (default the dtype of x, as jnp.linalg.norm), the sum added in `accumulate` (default
 *           float32): the squares of float16 numbers above 255 are Inf there, which `{ internal: 'float32' }` repairs.
 * Special   NaN gives NaN; no elements 0.
 *
 * @example norm(tensor([3, 4])).item() // 5
 * @example norm(tensor([300, 300], { dtype: 'float16' })).item() // Infinity
 * @example norm(tensor([300, 300], { dtype: 'float16' }), { internal: 'float32' }).item() // 424.25
 */
export function norm<D extends DType>(x: Tensor<D>, options: NormOfOptions = noOptions): Tensor<D> {
  checkOptions('norm', options, names, { positional: 'ord' })
  const { ord = 2, axis, keepDims = false, ...given } = options
  if (ord !== 1 && ord !== 2 && ord !== Infinity) {
    throw new RangeError(`norm: ord is not 1, 2 or Infinity [${String(ord)}]`)
  }
  const along = axis === undefined ? { keepDims } : { axis, keepDims }
  return inside('norm', x, given, (v, how) => {
    if (ord === 2) return sqrt(sum(square(v), { ...how, ...along }))
    return ord === 1 ? sum(abs(v), { ...how, ...along }) : max(abs(v), along)
  })
}

/**
 * Standard deviation: the root of `variance`, with its options, divided by the exact count; the variance is rounded to the
 * dtype of x before its root, as in jnp.std, unless `internal` is given.
 *
 * @example std(tensor([1, 1, 3, 3])).item() // 1
 */
export function std<D extends DType>(x: Tensor<D>, options: VarianceOptions = noOptions): Tensor<D> {
  checkOptions('std', options, varianceNames, { positional: 'axis' })
  return inside('std', x, options, (v, how) => sqrt(variance(v, how)))
}
