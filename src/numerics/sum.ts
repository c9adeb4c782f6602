import { checkOptions, noOptions, type OptionHints, type OptionTable } from '../base/options/index.js'
import {
  type DType,
  type FloatDType,
  mean,
  type ReduceOptions,
  sum,
  type Tensor,
} from '../tensors/tensor/index.js'
import { checkFloats } from './wide.js'

/** Options of the naive sum and mean. */
export type NaiveSumOptions = Pick<ReduceOptions, 'axis' | 'keepDims' | 'order'>

const names: OptionTable<NaiveSumOptions> = { axis: 'optional', keepDims: 'optional', order: 'optional' }
const axisFirst: OptionHints = { positional: 'axis' }

/**
 * Sum over axes, every addition rounded to the dtype of x, as `sum(x, { accumulate: x.dtype })`: in bfloat16 a sum of
 * ones stops at 256.
 *
 * Shape     x without the axes (all by default). Dtype that of x, a float.
 * Rounding  every addition, in the given order (default 'sequential'). Special as `sum`.
 * Error     (n - 1) u sum |x|, u = 2^-8 for bfloat16: `errorBound('sum', { accumulate: dtype, ... })`.
 *
 * @example naiveSum(ones([300], { dtype: 'bfloat16' })).item() // 256
 */
export function naiveSum<D extends DType>(x: Tensor<D>, options: NaiveSumOptions = noOptions): Tensor<D> {
  return naive('naiveSum', sum, x, options)
}

/**
 * Arithmetic mean over axes: `naiveSum` divided by the exact count, rounded once.
 *
 * @example naiveMean(tensor(new Float32Array(1024).fill(2.3), { dtype: 'bfloat16' })).item() // 1
 */
export function naiveMean<D extends DType>(x: Tensor<D>, options: NaiveSumOptions = noOptions): Tensor<D> {
  return naive('naiveMean', mean, x, options)
}

function naive<D extends DType>(
  op: string,
  reduce: typeof sum,
  x: Tensor<D>,
  options: NaiveSumOptions,
): Tensor<D> {
  checkOptions(op, options, names, axisFirst)
  checkFloats(op, x)
  return reduce(x, { ...options, accumulate: x.dtype as FloatDType })
}
