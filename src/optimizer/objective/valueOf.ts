import { cast, type FloatDType, full, isFloat, reshape, Tensor } from '../../tensors/tensor/index.js'
import type { ExtraArgs } from '../transformation.js'

/** The loss among the extra arguments as a scalar of a dtype; a RangeError where it is missing. */
export function valueOf(op: string, extra: ExtraArgs | undefined, dtype: FloatDType): Tensor {
  const value = extra?.value
  if (typeof value === 'number') return full([], value, { dtype })
  if (value === undefined) {
    throw new RangeError(`${op}: update needs the loss, { value } as its fourth argument [undefined]`)
  }
  if (!(value instanceof Tensor) || value.size !== 1 || !isFloat(value.dtype)) {
    throw new TypeError(
      `${op}: the loss is no number and no scalar [${value instanceof Tensor ? `${value.dtype}, ${value.shape.join(', ')}` : typeof value}]`,
    )
  }
  return reshape(cast(value, dtype), [])
}
