import { checkName } from '../../../base/options/index.js'
import type { ErrorBound } from '../../../numerics/index.js'
import { type AttentionBoundData, type AttentionBoundOptions, attentionBound } from './attentionBound.js'
import { type GemmBoundData, type GemmBoundOptions, gemmBound } from './gemmBound.js'
import { type NormBoundData, type NormBoundOptions, normBound } from './normBound.js'

type Operation = 'attention' | 'gemm' | 'layerNorm' | 'rmsNorm'
const operations: readonly Operation[] = ['attention', 'gemm', 'layerNorm', 'rmsNorm']

/**
 * A-priori bound of the absolute error of a kernel (`errorBound` of numerics is that of sums, products and scans): for any
 * input of that size, with the last rounding.
 *
 * 'attention'  of one output element of `flashAttention` against exact arithmetic on the same operands, without
 *              `ties`, `bias` and `sinks`.
 * 'gemm'       of every element of a product: what the parts of its operands leave out, and what the sums lose.
 * 'layerNorm', 'rmsNorm'  of every element of a row, against exact arithmetic on the same x, scale, bias and eps.
 *
 * Dtype     signed floats.
 * Rounding  the bound is rounded upwards by a relative 2^-40.
 * Special   Infinity where nothing is known: logits so large that their rounding is a factor of 2, overflow that cannot be excluded
 *           (attention leaves it out), a variance that 'fast' or 'welford' may lose.
 * Throws    TypeError for other dtypes; RangeError for sizes and sums that are none.
 * Source    in the result
 *
 * @example errorBound('attention', { dtype: 'bfloat16', d: 64, tk: 512 }, { logitSum: 8, weighted: 1 }).bound < 0.01 // true
 * @example errorBound('gemm', { k: 1, precision: 'high' }, { sumAbs: 1, maxAbs: 1 }).bound < 2 ** -13 * 1.01 // true
 * @example errorBound('layerNorm', { n: 256, variance: 'fast' }, { largest: 1003, spread: 1 }).bound // Infinity
 */
export function errorBound(
  op: 'attention',
  options: AttentionBoundOptions,
  data: AttentionBoundData,
): ErrorBound
export function errorBound(op: 'gemm', options: GemmBoundOptions, data: GemmBoundData): ErrorBound
export function errorBound(
  op: 'layerNorm' | 'rmsNorm',
  options: NormBoundOptions,
  data: NormBoundData,
): ErrorBound
export function errorBound(
  op: Operation,
  options: AttentionBoundOptions | GemmBoundOptions | NormBoundOptions,
  data: AttentionBoundData | GemmBoundData | NormBoundData,
): ErrorBound {
  checkName('errorBound', 'operation', op, operations)
  if (op === 'attention') return attentionBound(options as AttentionBoundOptions, data as AttentionBoundData)
  if (op === 'gemm') return gemmBound(options as GemmBoundOptions, data as GemmBoundData)
  const norm = op === 'layerNorm' ? 'layer' : 'rms'
  return normBound(norm, options as NormBoundOptions, data as NormBoundData)
}
