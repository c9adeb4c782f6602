import { maximum, minimum } from '../elementwise/arithmetic.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/**
 * Clips a tensor to two limits, minimum(maximum(x, low), high), as NumPy's clip; `optimizer.clip` is a gradient
 * transformation. Null is no limit.
 *
 * Shape     broadcast of all. Dtype that of x; numbers take it.
 * Rounding  none but of the limits to the dtype.
 * Special   a NaN in x or a limit wins; where low is above high, high.
 *
 * @example clip(tensor([-2, 0.5, 7]), 0, 1).toNested() // [0,0.5,1]
 * @example clip(tensor([-2, 0.5, 7]), null, 1).toNested() // [-2,0.5,1]
 */
export function clip<D extends DType>(
  x: Tensor<D>,
  low: Tensor<D> | number | null,
  high: Tensor<D> | number | null,
): Tensor<D> {
  checkTensor('clip', x)
  if (low === undefined || high === undefined) {
    throw new RangeError(`clip: a limit is missing, null for none [${low === undefined ? 'low' : 'high'}]`)
  }
  const above = low === null ? x : maximum(x, low)
  return high === null ? above : minimum(above, high)
}
