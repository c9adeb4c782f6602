import {
  type BoundOptions,
  type DecayBoundOptions,
  type ErrorBound,
  errorBound,
} from '../../../numerics/index.js'
import { dtypeFacts } from '../../../tensors/tensor/index.js'
import { LongSum } from './reference.js'

/** What theory allows a sum, running sums or dot products; nothing for a format without signs or for sums of NaN. */
export function boundOf(
  op: 'sum' | 'cumsum' | 'dot',
  options: BoundOptions,
  sumAbs: number,
): ErrorBound | undefined {
  return bounded(options, sumAbs) ? errorBound(op, options, { sumAbs }) : undefined
}

/**
 * What theory allows exp(A cs) with no exponent above `exponent`, itself at most 0. Exact and computed decays are
 * between 0 and 1 where nothing overflows, so no error is above 1, whatever the formula gives.
 */
export function decayBound(
  options: DecayBoundOptions,
  data: { readonly A: number; readonly sumAbs: number; readonly exponent: number },
): ErrorBound | undefined {
  if (!bounded(options, data.sumAbs)) return undefined
  const { bound, formula, source } = errorBound('decay', options, data)
  const capped = Number.isFinite(bound) ? Math.min(1, bound) : bound
  return { bound: capped, formula: `at most 1; ${formula}`, source }
}

function bounded({ dtype }: BoundOptions, sumAbs: number): boolean {
  return dtypeFacts(dtype).signed && sumAbs >= 0
}

/** The largest sum of |a b| among the elements of a [m, k] times b [k, n]. */
export function largestDot(a: Float64Array, b: Float64Array, m: number, k: number, n: number): number {
  let largest = 0
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const sum = new LongSum()
      for (let p = 0; p < k; p++) sum.add(Math.abs(a[i * k + p]! * b[p * n + j]!))
      largest = Math.max(largest, sum.value)
    }
  }
  return largest
}
