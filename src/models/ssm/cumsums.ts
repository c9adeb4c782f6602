import type { FloatDType, Order } from '../../tensors/tensor/index.js'

/** How running sums are added, and whether they stay in the accumulator. */
export interface RunningSum {
  /** Default: 'sequential'. */
  readonly order?: Order
  /** What every addition rounds to. Default: the dtype of the steps, the naive way. */
  readonly accumulate?: FloatDType
  /** Keep the sums, and the exponents made of them, in the accumulator. Default: false. */
  readonly keep?: boolean
}

/** The names of usual running sums. */
export type CumsumName =
  | 'sequential'
  | 'stable'
  | 'stable-keep'
  | 'kahan'
  | 'neumaier'
  | 'blocked-16'
  | 'associative'
  | 'pairwise'

/**
 * Usual running sums by name. 'stable' adds in float32 and rounds each sum back; 'stable-keep' keeps float32 through the
 * exponent; 'blocked-16' is the order of XLA on the CPU; the others round every addition to the dtype of the steps.
 */
export const cumsums: Readonly<Record<CumsumName, RunningSum>> = {
  sequential: {},
  stable: { accumulate: 'float32' },
  'stable-keep': { accumulate: 'float32', keep: true },
  kahan: { order: 'kahan' },
  neumaier: { order: 'neumaier' },
  'blocked-16': { order: { blocked: 16 } },
  associative: { order: 'associative' },
  pairwise: { order: 'pairwise' },
}
