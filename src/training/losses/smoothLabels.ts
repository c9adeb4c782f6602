import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import {
  add,
  cast,
  type DType,
  div,
  full,
  mul,
  sum,
  type Tensor,
  wideDType,
} from '../../tensors/tensor/index.js'
import { checkFloat, counted } from './lossOptions.js'

/** The axis of the classes. */
export interface SmoothLabelsOptions {
  /** Default: the last. */
  readonly axis?: number
  /** Classes that count among those that alpha is shared by, as in the other losses. Default: all. */
  readonly where?: Tensor<'bool'>
}

const names: OptionTable<SmoothLabelsOptions> = { axis: 'optional', where: 'optional' }

/**
 * (1 - alpha) labels + alpha / classes: labels mixed with the uniform distribution.
 *
 * Shape     that of the labels. Dtype theirs, a float. Rounding 1 - alpha and alpha / classes once each; product, sum.
 * Special   with `where` all labels are mixed, those that do not count too, as in optax; where none counts they are infinite.
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
  const kept = mul(labels, 1 - alpha)
  const { where: mask } = counted('smoothLabels', options, labels)
  if (mask === undefined) return add(kept, alpha / classes)
  const wide = wideDType(labels.dtype)
  const share = div(full([], alpha, { dtype: wide }), sum(cast(mask, wide), { axis, keepDims: true }))
  return add(kept, cast(share, labels.dtype))
}
