import { type DType, dtypeFacts } from '../../../tensors/tensor/index.js'

/** What no element of a dtype is below: -Inf where there is one, else the least value. */
export function lowestOf(dtype: DType): number {
  const { infinity, isFloat, lowest } = dtypeFacts(dtype)
  return isFloat && infinity ? -Infinity : lowest
}

/** What no element of a dtype is above. */
export function highestOf(dtype: DType): number {
  const { infinity, isFloat, max } = dtypeFacts(dtype)
  return isFloat && infinity ? Infinity : max
}
