import { cast, div, sum, type Tensor } from '../../tensors/tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { floatOf, inDtype } from './operand.js'

/**
 * The mean along one axis, or of everything: summed in float32 in C order and multiplied by float32(1 / n), one
 * rounding to the dtype; 'ieee' sums in float64 and divides.
 */
export function leafMean(a: Elementwise, x: Tensor, axis?: number): Tensor {
  const dtype = floatOf(x.dtype)
  const exact = a.name === 'ieee' || dtype === 'float64'
  const wide = cast(x, exact ? 'float64' : 'float32')
  const total = sum(wide, { order: 'sequential', ...(axis === undefined ? {} : { axis }) })
  const length = axis === undefined ? x.size : x.shape[axis]!
  return inDtype(exact ? div(total, length) : a.mul(total, 1 / length), dtype)
}
