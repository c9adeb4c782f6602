import { matmulPadding } from '../../planning/mxu/index.js'
import { share } from './quantities.js'
import type { Roofline } from './roofline.js'
import type { ProfiledOperation } from './runProfile.js'

/** What may hold an operation up. */
export type Bound = 'compute' | 'memory' | 'collective' | 'overhead'

/** What to do about operations that something bounds, in one line; `reached` is the share of the roof. */
export function adviceFor(
  boundBy: Bound,
  operations: readonly ProfiledOperation[],
  roof: Roofline,
  reached: number,
): string {
  const first = operations[0]!
  const compiled = operations.every(({ kind, name }) => kind !== name || kind === 'copy')
  if (boundBy === 'overhead') {
    return compiled
      ? 'the fixed cost of a step: larger batches, or fewer and larger operations'
      : 'the fixed cost of a call: compile the function around it, or work on larger batches'
  }
  const unfilled = roof.side === undefined ? undefined : unfilledBy(operations, roof.side)
  if (unfilled !== undefined) return unfilled
  if (reached < 0.1 && roof.kind === 'machine') {
    return compiled
      ? `reaches ${share(reached)} of the roof: its kernel is not vectorised for this dtype or order; float32 or bfloat16, and sequential order, are`
      : `reaches ${share(reached)} of the roof: compile the function around it`
  }
  if (boundBy === 'compute' && reached < 0.6 && roof.kind === 'machine') {
    return `reaches ${share(reached)} of the roof: larger products come nearer, threads beyond it`
  }
  if (boundBy === 'compute') {
    return first.dtype === 'float32' && first.product && roof.kind === 'chip'
      ? 'at the roof of the matrix units: bfloat16 operands, accumulated in float32, take one pass instead of several'
      : 'at the roof: fewer FLOPs, a faster dtype, or more threads or chips'
  }
  if (first.kind === 'copy') {
    return 'values copied in and out: put more of the run into one program, so that they stay inside'
  }
  const wide = first.dtype === 'float32' || first.dtype === 'float64'
  return `moves bytes: ${compiled ? 'fuse it with its neighbours' : 'compile it with its neighbours, so that values between stay in fast memory'}${wide ? ', or halve them with bfloat16' : ''}`
}

/** Products that leave the matrix unit half empty. */
function unfilledBy(operations: readonly ProfiledOperation[], side: number): string | undefined {
  for (const { product } of operations) {
    if (!product || product.m * product.k * product.n === 0) continue
    const { m, k, n } = product
    const { utilisation } = matmulPadding({ m, k, n, side })
    if (utilisation >= 0.5) continue
    return `[${m}, ${k}] x [${k}, ${n}] fills ${share(utilisation)} of the matrix unit: sizes that are multiples of ${side}, or several products as one`
  }
  return undefined
}
