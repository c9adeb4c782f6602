import {
  apply,
  broadcastTo,
  cast,
  div,
  type FloatDType,
  type KnownOp,
  mean,
  mul,
  roundingTo,
  square,
  sub,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'

/** How a layer norm finds its variance. */
export type VarianceMethod = 'two-pass' | 'fast' | 'welford'

/** The names of the methods. */
export const varianceMethods: readonly VarianceMethod[] = ['two-pass', 'fast', 'welford']

/**
 * Mean and variance along the last axis in one pass, each step rounded: d = x - M, M += d / k, S += d (x - M); at the end S / n.
 * Source: Welford, Note on a method for calculating corrected sums of squares and products, doi:10.2307/1266577.
 */
function walk(x: Tensor, of: 'mean' | 'variance'): Tensor {
  const n = x.shape.at(-1)!
  const rows = n === 0 ? 0 : x.size / n
  const round = roundingTo(x.dtype as FloatDType)
  const values = x.toNumbers()
  const result = new Float64Array(rows)
  for (let row = 0; row < rows; row++) {
    let mean = 0
    let squares = 0
    for (let k = 1; k <= n; k++) {
      const value = values[row * n + k - 1]!
      const d = round(value - mean)
      mean = round(mean + round(d / k))
      squares = round(squares + round(d * round(value - mean)))
    }
    result[row] = of === 'mean' ? mean : squares / n
  }
  return tensor(result, { shape: [...x.shape.slice(0, -1), 1], dtype: x.dtype })
}

interface Along {
  readonly axes: readonly number[]
}

/** Welford's running mean along the last axis, which stays with length 1; its gradient is that of the mean. */
const welfordMeanOp: KnownOp<Along> = {
  name: 'welfordMean',
  form: 'reduce',
  rounds: 'each step',
  kernel: ([x]) => walk(x!, 'mean'),
  exact: ([x]) => mean(x!, { axis: -1, keepDims: true }),
  gradient: ({ g, inputs: [x] }) => [broadcastTo(shared(g, x!), x!.shape)],
}

/** The variance of the same pass; its gradient is that of the variance, 2 (x - mean) / n. */
const welfordVarianceOp: KnownOp<Along> = {
  name: 'welfordVariance',
  form: 'reduce',
  rounds: 'each step',
  kernel: ([x]) => walk(x!, 'variance'),
  exact: ([x]) => mean(square(sub(x!, mean(x!, { axis: -1, keepDims: true }))), { axis: -1, keepDims: true }),
  gradient: ({ g, inputs: [x] }) => [mul(sub(x!, welford(x!).mean), shared(mul(g, 2), x!))],
}

/** g / n with the exact count, rounded once. */
function shared(g: Tensor, x: Tensor): Tensor {
  return cast(div(cast(g, 'float64'), x.shape.at(-1)!), g.dtype)
}

/** Mean and variance of Welford's update along the last axis, kept with length 1. */
export function welford(x: Tensor): { readonly mean: Tensor; readonly variance: Tensor } {
  const along = { axes: [x.rank - 1] }
  return { mean: apply(welfordMeanOp, [x], along), variance: apply(welfordVarianceOp, [x], along) }
}
