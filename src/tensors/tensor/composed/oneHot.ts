import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { cast } from '../elementwise/cast.js'
import { equal } from '../elementwise/comparison.js'
import { checkTensor } from '../storage/checkCall.js'
import { arange } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'
import { expandDims } from './squeeze.js'

/** Options of oneHot. */
export interface OneHotOptions<D extends DType = DType> {
  /** Default 'float32'. */
  readonly dtype?: D
}

const names: OptionTable<OneHotOptions> = { dtype: 'optional' }

/**
 * 1 at the index, 0 elsewhere, along a new last axis of `depth`; all 0 for an index outside, as in JAX.
 *
 * Shape     [...indices, depth]. Dtype of the indices int32 or uint32.
 *
 * @example oneHot(tensor([1, 0, -1], { dtype: 'int32' }), 2).toNested() // [[0,1],[1,0],[0,0]]
 */
export function oneHot<D extends DType = 'float32'>(
  indices: Tensor<'int32'> | Tensor<'uint32'>,
  depth: number,
  options: OneHotOptions<D> = noOptions,
): Tensor<D> {
  checkOptions('oneHot', options, names, { positional: 'dtype' })
  checkInteger('oneHot', 'depth', depth)
  checkTensor('oneHot', indices)
  const given: Tensor = indices
  if (given.dtype !== 'int32' && given.dtype !== 'uint32') {
    throw new TypeError(`oneHot: indices are not int32 or uint32 [${given.dtype}]`)
  }
  const places: Tensor = arange(0, depth, { dtype: given.dtype })
  return cast(equal(expandDims(given, -1), places), options.dtype ?? ('float32' as D))
}
