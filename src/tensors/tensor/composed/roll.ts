import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { concat } from '../layout/combine.js'
import { reshape } from '../layout/layout.js'
import { slice } from '../layout/slice.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import { normalizeAxis } from '../storage/shape.js'
import type { Tensor } from '../storage/tensor.js'

/** Options of roll. */
export interface RollOptions {
  /** Default: x counts as flat and keeps its shape. */
  readonly axis?: number
}

const names: OptionTable<RollOptions> = { axis: 'optional' }

/**
 * Elements moved along an axis, those that fall off coming in at the other end.
 *
 * @example roll(tensor([1, 2, 3, 4]), 1).toNested() // [4,1,2,3]
 * @example roll(tensor([[1, 2], [3, 4]]), -1, { axis: 1 }).toNested() // [[2,1],[4,3]]
 */
export function roll<D extends DType>(
  x: Tensor<D>,
  shift: number,
  options: RollOptions = noOptions,
): Tensor<D> {
  checkOptions('roll', options, names, { positional: 'axis' })
  checkTensor('roll', x)
  checkInteger('roll', 'shift', shift, Number.MIN_SAFE_INTEGER)
  if (options.axis === undefined) return reshape(roll(reshape(x, [x.size]), shift, { axis: 0 }), x.shape)
  const axis = normalizeAxis('roll', options.axis, x.rank)
  const length = x.shape[axis]!
  const cut = length === 0 ? 0 : ((-shift % length) + length) % length
  if (cut === 0) return x
  const before = x.shape.slice(0, axis).map(() => null)
  return concat([slice(x, [...before, [cut, null]]), slice(x, [...before, [0, cut]])], { axis })
}
