import { checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import {
  type AccumulateOptions,
  cast,
  type DType,
  type FloatDType,
  matmul,
  matrixTranspose,
  mean,
  mul,
  sub,
  type Tensor,
} from '../tensors/tensor/index.js'
import { divideByCount } from './divideByCount.js'
import { type Wide, wide } from './wide.js'

/** How the naive covariance computes. */
export interface CovarianceOptions extends AccumulateOptions {
  /** Centred products, or mean of products minus product of means, which cancels. Default 'two-pass'. */
  readonly method?: 'two-pass' | 'one-pass'
}

const covarianceNames: OptionTable<CovarianceOptions> = {
  method: 'optional',
  order: 'optional',
  accumulate: 'optional',
}

/**
 * Covariance of the columns of z, everything in float32 [stable_covariance].
 *
 * Shape     z [..., n, d] -> [..., d, d], n 2 or more.
 * Dtype     a float; the result is float32 (float64 for float64): cast it if it must be narrow.
 * Rounding  means, centred values, products and sums each to float32, rows ascending; divided by n - 1, once.
 * Special   a column with NaN or Inf gives NaN.
 * Throws    RangeError for n below 2; TypeError for a dtype that is not a float.
 * Error     means are off by at most n 2^-24 mean |z|, so the cancellation of z - mean costs nothing that z has.
 * Source    the naive form at mean 100 has rank 1: `covarianceSpectrum`.
 *
 * @example stableCovariance(tensor([[1, 2], [3, 6]], { dtype: 'bfloat16' })).toNested() // [[2,4],[4,8]]
 */
export function stableCovariance<D extends DType>(z: Tensor<D>): Tensor<Wide<D>> {
  const dtype = wide('stableCovariance', z)
  const n = rows('stableCovariance', z)
  const x = cast(z, dtype)
  const centred = sub(x, mean(x, { axis: -2, keepDims: true }))
  return divideByCount(matmul(matrixTranspose(centred), centred), n - 1, dtype)
}

/**
 * Covariance of the columns of z in its own dtype. With `accumulate: 'float32'` only the sums are wide: mean and centred
 * values are still rounded, which is most of the damage repaired and none of the cost.
 *
 * Shape     z [..., n, d] -> [..., d, d], n 2 or more. Dtype that of z, a float.
 * Rounding  'two-pass': mean once after its sum in `accumulate` (default the dtype of z), z - mean, each product and sum
 *           in `accumulate`, the quotient by n - 1 once. 'one-pass': the mean product (by n), the product of means, and
 *           their difference, each.
 * Special   a column with NaN or Inf gives NaN; one-pass variances may be negative.
 * Throws    as `stableCovariance`.
 *
 * @example naiveCovariance(tensor([[100], [101], [103]], { dtype: 'bfloat16' })).item() // 2.375
 */
export function naiveCovariance<D extends DType>(
  z: Tensor<D>,
  options: CovarianceOptions = noOptions,
): Tensor<D> {
  checkOptions('naiveCovariance', options, covarianceNames)
  wide('naiveCovariance', z)
  const { method = 'two-pass', order = 'sequential', accumulate = z.dtype as FloatDType } = options
  const n = rows('naiveCovariance', z)
  const how = { order, accumulate }
  const means = mean(z, { ...how, axis: -2, keepDims: true })
  if (method === 'two-pass') {
    const centred = cast(sub(z, means), accumulate)
    return divideByCount(matmul(matrixTranspose(centred), centred, how), n - 1, z.dtype)
  }
  if (method !== 'one-pass') throw new RangeError(`naiveCovariance: unknown method [${String(method)}]`)
  const x = cast(z, accumulate)
  const products = divideByCount(matmul(matrixTranspose(x), x, how), n, z.dtype)
  return sub(products, mul(matrixTranspose(means), means))
}

function rows(op: string, z: Tensor): number {
  const n = z.shape.at(-2)
  if (n === undefined) throw new RangeError(`${op}: needs rows of columns [${z.shape.join(', ')}]`)
  if (n < 2) throw new RangeError(`${op}: needs two rows or more [${z.shape.join(', ')}]`)
  return n
}
