import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { concat } from '../layout/combine.js'
import { checkTensor } from '../storage/checkCall.js'
import { full } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/** Options of pad. */
export interface PadOptions {
  /** What is put there, rounded to the dtype. Default 0. */
  readonly value?: number
}

const names: OptionTable<PadOptions> = { value: 'optional' }

/**
 * x with so many more elements before and after each axis: a number for both sides, or [before, after].
 *
 * @example pad(tensor([1, 2]), [[1, 2]]).toNested() // [0,1,2,0,0]
 * @example pad(tensor([[1]]), [0, 1], { value: 5 }).toNested() // [[5,1,5]]
 */
export function pad<D extends DType>(
  x: Tensor<D>,
  widths: readonly (number | readonly [before: number, after: number])[],
  options: PadOptions = noOptions,
): Tensor<D> {
  checkTensor('pad', x)
  checkOptions('pad', options, names, { positional: 'value' })
  const { value = 0 } = options
  if (!Number.isNaN(value) && Math.abs(value) !== Infinity) checkNumber('pad', 'value', value)
  if (!Array.isArray(widths) || widths.length !== x.rank) {
    throw new RangeError(`pad: not one width for each of ${x.rank} axes [${String(widths)}]`)
  }
  let result = x
  for (const [axis, width] of widths.entries()) {
    if (typeof width !== 'number' && !Array.isArray(width)) {
      throw new TypeError(`pad: a width is neither a number nor [before, after] [${String(width)}]`)
    }
    const sides: readonly number[] = typeof width === 'number' ? [width, width] : width
    const [before, after] = sides.map((length) => {
      checkInteger('pad', 'a width', length)
      const shape = [...result.shape]
      shape[axis] = length
      return full(shape, value, { dtype: x.dtype })
    })
    if (before === undefined || after === undefined || sides.length !== 2) {
      throw new RangeError(`pad: a width is not [before, after] [${String(width)}]`)
    }
    if (before.size + after.size > 0 || sides[0]! + sides[1]! > 0) {
      result = concat([before, result, after], { axis })
    }
  }
  return result
}
