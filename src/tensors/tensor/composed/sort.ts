import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { slice } from '../layout/slice.js'
import { argsort, type SortOptions, sortNames } from '../reductions/argsort.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import { normalizeAxis } from '../storage/shape.js'
import type { Tensor } from '../storage/tensor.js'
import { takeAlongAxis } from './takeAlongAxis.js'

/**
 * x sorted along an axis, by `argsort`.
 *
 * @example sort(tensor([3, NaN, 1])).toNested() // [1,3,NaN]
 */
export function sort<D extends DType>(x: Tensor<D>, options: SortOptions = noOptions): Tensor<D> {
  checkTensor('sort', x)
  checkOptions('sort', options, sortNames, { positional: 'axis' })
  const { axis = -1 } = options
  return takeAlongAxis(x, argsort(x, options), { axis })
}

/** Options of topK. */
export interface TopKOptions {
  /** Default: the last. */
  readonly axis?: number
}

const topNames: OptionTable<TopKOptions> = { axis: 'optional' }

/**
 * The k largest elements along an axis, largest first, and where they are: of equal ones the first.
 *
 * @example topK(tensor([1, 5, 3]), 2).values.toNested() // [5,3]
 * @example topK(tensor([1, 5, 3]), 2).indices.toNested() // [1,2]
 */
export function topK<D extends DType>(
  x: Tensor<D>,
  k: number,
  options: TopKOptions = noOptions,
): { readonly values: Tensor<D>; readonly indices: Tensor<'int32'> } {
  checkTensor('topK', x)
  checkOptions('topK', options, topNames, { positional: 'axis' })
  const axis = normalizeAxis('topK', options.axis ?? -1, x.rank)
  checkInteger('topK', 'k', k, 0, x.shape[axis])
  const before = x.shape.slice(0, axis).map(() => null)
  const indices = slice(argsort(x, { axis, descending: true }), [...before, [0, k]])
  return { values: takeAlongAxis(x, indices, { axis }), indices }
}
