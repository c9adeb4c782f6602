import type { ErrorBound } from '../../numerics/index.js'
import { checkName } from '../../options/index.js'
import { type AttentionBoundData, type AttentionBoundOptions, attentionBound } from './attentionBound.js'

/**
 * An a-priori bound of the absolute error of a kernel: for any input of that size, the last rounding included.
 *
 * 'attention'  of one output element of `flashAttention` against exact arithmetic on the same operands, `ties` left off.
 *
 * Dtype     signed floats.
 * Rounding  the bound is rounded upwards by a relative 2^-40.
 * Special   Infinity where nothing is known: logits so large that their rounding is a factor of 2, overflow left out.
 * Throws    TypeError for other dtypes; RangeError for sizes and sums that are none.
 * Source    in the result
 *
 * @example errorBound('attention', { dtype: 'bfloat16', d: 64, tk: 512 }, { logitSum: 8, weighted: 1 }).bound < 0.01 // true
 */
export function errorBound(
  op: 'attention',
  options: AttentionBoundOptions,
  data: AttentionBoundData,
): ErrorBound {
  checkName('errorBound', 'operation', op, ['attention'])
  return attentionBound(options, data)
}
