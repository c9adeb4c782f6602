import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { cast } from '../elementwise/cast.js'
import { equal, notEqual } from '../elementwise/comparison.js'
import { sum } from '../reductions/reduce.js'
import type { AxisOptions } from '../storage/axisOptions.js'
import type { Tensor } from '../storage/tensor.js'

const names: OptionTable<AxisOptions> = { axis: 'optional', keepDims: 'optional' }

/** How many elements along the axes are zero, or are not. */
function count(x: Tensor, zero: boolean, options: AxisOptions): Tensor {
  return sum(cast(zero ? equal(x, 0) : notEqual(x, 0), 'int32'), options)
}

/**
 * Whether all elements over axes (all by default) are true: not 0. NaN is true, as in NumPy; of no elements it is true.
 *
 * @example all(tensor([[1, 2], [0, 3]]), { axis: 1 }).toNested() // [true,false]
 */
export function all(x: Tensor, options: AxisOptions = noOptions): Tensor<'bool'> {
  checkOptions('all', options, names, { positional: 'axis' })
  return equal(count(x, true, options), 0)
}

/**
 * Whether any element over axes is true, as `all`; of no elements it is false.
 *
 * @example any(tensor([[1, 2], [0, 0]]), { axis: 1 }).toNested() // [true,false]
 */
export function any(x: Tensor, options: AxisOptions = noOptions): Tensor<'bool'> {
  checkOptions('any', options, names, { positional: 'axis' })
  return notEqual(count(x, false, options), 0)
}
