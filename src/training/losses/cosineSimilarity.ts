import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { type DType, div, maximum, mul, sqrt, square, sub, type Tensor } from '../../tensors/tensor/index.js'
import { checkAlike, counted, inside, type SummedLossOptions, summed, summedNames } from './lossOptions.js'

/** What keeps a cosine from dividing by 0. */
export interface CosineOptions extends SummedLossOptions {
  /** The smallest square that a norm counts as. Default: 0; zeros then give NaN. */
  readonly epsilon?: number
}

const names: OptionTable<CosineOptions> = { epsilon: 'optional', ...summedNames }

/**
 * The cosine of the angle between vectors along an axis: the sum of the products of both, each divided by its norm.
 *
 * Shape     of both without the axis, default the last. Dtype a float, both alike.
 * Rounding  squares, their sums (float32 inside by default), roots, quotients, products, the sum.
 * Special   a vector of zeros gives NaN, with an `epsilon` 0. Squares may leave the range, which `{ internal: 'float32' }` repairs.
 * Error     (n + 9) u absolute for n elements, u half an ulp of 1 in the dtype.
 *
 * @example cosineSimilarity(tensor([[3, 4], [1, 0]]), tensor([[3, 4], [0, 1]])).toNested() // [1,0]
 */
export function cosineSimilarity<D extends DType>(
  predictions: Tensor<D>,
  targets: Tensor<D>,
  options: CosineOptions = noOptions,
): Tensor<D> {
  return cosine('cosineSimilarity', predictions, targets, options, (similarity) => similarity)
}

/**
 * 1 - `cosineSimilarity`, with its options.
 *
 * @example cosineDistance(tensor([[3, 4], [1, 0]]), tensor([[3, 4], [0, 1]])).toNested() // [0,1]
 */
export function cosineDistance<D extends DType>(
  predictions: Tensor<D>,
  targets: Tensor<D>,
  options: CosineOptions = noOptions,
): Tensor<D> {
  return cosine('cosineDistance', predictions, targets, options, (similarity) => sub(1, similarity))
}

function cosine<D extends DType>(
  op: string,
  predictions: Tensor<D>,
  targets: Tensor<D>,
  options: CosineOptions,
  last: (similarity: Tensor) => Tensor,
): Tensor<D> {
  checkOptions(op, options, names, { positional: 'epsilon' })
  const { epsilon = 0, internal } = options
  checkNumber(op, 'epsilon', epsilon, 0)
  checkAlike(op, predictions, { targets })
  const how = counted(op, options, predictions)
  const unit = (x: Tensor): Tensor => div(x, sqrt(maximum(summed(square(x), how, true), epsilon)))
  return inside(op, [predictions, targets], internal, (p, t) => last(summed(mul(unit(p!), unit(t!)), how)))
}
