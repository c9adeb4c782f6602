import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { stopGradient } from '../../../tensors/autodiff/index.js'
import { mean, mul, square, sub, type Tensor } from '../../../tensors/tensor/index.js'
import { checkPair } from './straightThrough.js'

/** The weight of the commitment loss. */
export interface CommitmentOptions {
  /** Default 0.25, as the paper; vector-quantize-pytorch has 1. */
  readonly beta?: number
}

const names: OptionTable<CommitmentOptions> = { beta: 'optional' }

/**
 * beta mean((x - code)^2), which moves x alone.
 *
 * Shape     both alike -> [].
 * Rounding  every operation once; the mean over all elements, its sum sequential in the dtype.
 * Gradient  to x; the code counts as constant.
 * Throws    TypeError for dtypes that differ, RangeError for shapes.
 * Source    van den Oord et al., arXiv 1711.00937, equation 3
 *
 * @example commitmentLoss(tensor([1, 3]), tensor([1, 1])).item() // 0.5
 */
export function commitmentLoss<D extends Tensor['dtype']>(
  x: Tensor<D>,
  code: Tensor<D>,
  options: CommitmentOptions = noOptions,
): Tensor<D> {
  checkPair('commitmentLoss', x, code)
  checkOptions('commitmentLoss', options, names, { positional: 'beta' })
  const { beta = 0.25 } = options
  checkNumber('commitmentLoss', 'beta', beta)
  return mul(mean(square(sub(x, stopGradient(code)))), beta)
}

/**
 * mean((x - code)^2), which moves the code alone: what a moving average of the codebook stands in for.
 *
 * Shape     both alike -> [].
 * Rounding  as `commitmentLoss`.
 * Gradient  to the code; x counts as constant.
 * Throws    TypeError for dtypes that differ, RangeError for shapes.
 * Source    van den Oord et al., arXiv 1711.00937, equation 3
 *
 * @example codebookLoss(tensor([1, 3]), tensor([1, 1])).item() // 2
 */
export function codebookLoss<D extends Tensor['dtype']>(x: Tensor<D>, code: Tensor<D>): Tensor<D> {
  checkPair('codebookLoss', x, code)
  return mean(square(sub(stopGradient(x), code)))
}
