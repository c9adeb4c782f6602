import { checkTensor, type Tensor } from '../../tensors/tensor/index.js'

/**
 * How much of the returns' variance the values explain: 1 - var(returns - values) / var(returns), in float64.
 *
 * Special   NaN where all returns are equal.
 * Throws    RangeError for tensors of other sizes.
 *
 * @example explainedVariance(tensor([1, 2, 3]), tensor([1, 2, 3])) // 1
 */
export function explainedVariance(values: Tensor, returns: Tensor): number {
  checkTensor('explainedVariance: values', values)
  checkTensor('explainedVariance: returns', returns)
  if (values.size !== returns.size) {
    throw new RangeError(
      `explainedVariance: not a value for each return [${values.size} for ${returns.size}]`,
    )
  }
  const [v, r] = [values.toNumbers(), returns.toNumbers()]
  const spread = variance(r)
  return spread === 0 ? Number.NaN : 1 - variance(r.map((x, i) => x - v[i]!)) / spread
}

function variance(x: Float64Array): number {
  const mean = x.reduce((a, b) => a + b, 0) / x.length
  return x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length
}
