import { checkNumber, checkOptions, noOptions, type OptionTable } from '../options/index.js'
import { add, type DType, mul, type Tensor } from '../tensor/index.js'
import { checkFloat } from './lossOptions.js'

/** Which axis the classes lie along. */
export interface SmoothLabelsOptions {
  /** Default: the last. */
  readonly axis?: number
}

const names: OptionTable<SmoothLabelsOptions> = { axis: 'optional' }

/**
 * (1 - alpha) labels + alpha / classes: labels mixed with the uniform distribution.
 *
 * Shape     that of the labels. Dtype theirs, a float. Rounding 1 - alpha and alpha / classes once each; product, sum.
 * Source    Rethinking the inception architecture for computer vision, arXiv:1512.00567
 *
 * @example smoothLabels(tensor([[1, 0]]), 0.5).toNested() // [[0.75,0.25]]
 */
export function smoothLabels<D extends DType>(
  labels: Tensor<D>,
  alpha: number,
  options: SmoothLabelsOptions = noOptions,
): Tensor<D> {
  checkOptions('smoothLabels', options, names, { positional: 'axis' })
  checkFloat('smoothLabels', labels)
  checkNumber('smoothLabels', 'alpha', alpha, 0, 1)
  const { axis = -1 } = options
  const classes = labels.shape.at(axis)
  if (!Number.isInteger(axis) || classes === undefined) {
    throw new RangeError(`smoothLabels: no such axis in rank ${labels.rank} [${axis}]`)
  }
  return add(mul(labels, 1 - alpha), alpha / classes)
}
