import { checkOptions, noOptions } from '../../base/options/index.js'
import { add, type DType, equal, exp, log, mul, sub, type Tensor, where } from '../../tensors/tensor/index.js'
import { checkAlike, counted, inside, type SummedLossOptions, summed, summedNames } from './lossOptions.js'

/**
 * sum targets (log targets - logPredictions) along an axis; a target of 0 counts nothing.
 *
 * Shape     of both without the axis, default the last. Dtype a float, both alike.
 * Rounding  the logarithm, the difference, the product, the sum (float32 inside by default).
 * Special   a target of 0 beside a prediction of -Inf gives NaN, as in optax.
 *
 * @example klDivergence(tensor([[-1, -1]]), tensor([[1, 0]])).toNested() // [1]
 */
export function klDivergence<D extends DType>(
  logPredictions: Tensor<D>,
  targets: Tensor<D>,
  options: SummedLossOptions = noOptions,
): Tensor<D> {
  return divergence('klDivergence', logPredictions, targets, options, (q, p, how) => summed(terms(q, p), how))
}

/**
 * `klDivergence` with the logarithms of the targets given: sum exp(logTargets) (logTargets - logPredictions).
 *
 * Shape, Dtype as `klDivergence`. Rounding the exponential, the difference, the product, the sum.
 * Special   a target of -Inf gives NaN.
 *
 * @example klDivergenceWithLogTargets(tensor([[-1]]), tensor([[0]])).toNested() // [1]
 */
export function klDivergenceWithLogTargets<D extends DType>(
  logPredictions: Tensor<D>,
  logTargets: Tensor<D>,
  options: SummedLossOptions = noOptions,
): Tensor<D> {
  return divergence('klDivergenceWithLogTargets', logPredictions, logTargets, options, (q, p, how) =>
    summed(mul(exp(p), sub(p, q)), how),
  )
}

/**
 * `klDivergence` plus the sum of exp(logPredictions) - targets: for weights that do not sum to 1, where it is convex.
 *
 * Shape, Dtype as `klDivergence`. Rounding both sums, and their sum.
 *
 * @example generalizedKlDivergence(tensor([[0]]), tensor([[1]])).toNested() // [0]
 */
export function generalizedKlDivergence<D extends DType>(
  logPredictions: Tensor<D>,
  targets: Tensor<D>,
  options: SummedLossOptions = noOptions,
): Tensor<D> {
  return divergence('generalizedKlDivergence', logPredictions, targets, options, (q, p, how) =>
    add(summed(terms(q, p), how), summed(sub(exp(q), p), how)),
  )
}

function terms(logPredictions: Tensor, targets: Tensor): Tensor {
  const none = equal(targets, 0)
  // The log of 1 in their place: that of 0 would make the gradient of the targets NaN.
  const logTargets = log(where(none, 1, targets))
  return mul(targets, sub(logTargets, logPredictions))
}

function divergence<D extends DType>(
  op: string,
  logPredictions: Tensor<D>,
  targets: Tensor<D>,
  options: SummedLossOptions,
  compute: (logPredictions: Tensor, targets: Tensor, options: SummedLossOptions) => Tensor,
): Tensor<D> {
  checkOptions(op, options, summedNames, { positional: 'axis' })
  checkAlike(op, logPredictions, { targets })
  const how = counted(op, options, logPredictions)
  return inside(op, [logPredictions, targets], options.internal, (q, p) => compute(q!, p!, how))
}
