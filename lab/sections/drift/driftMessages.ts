import type { Order } from 'tpu-toolkit/tensor'

/** The dtypes a series may be summed in. */
export const driftDTypes = ['bfloat16', 'float16', 'float8_e5m2', 'float8_e4m3fn', 'float32'] as const
export type DriftDType = (typeof driftDTypes)[number]

/** The orders by name. */
export const driftOrders = {
  sequential: 'sequential',
  pairwise: 'pairwise',
  kahan: 'kahan',
  neumaier: 'neumaier',
  associative: 'associative',
  'blocked-16': { blocked: 16 },
} satisfies Readonly<Record<string, Order>>
export type DriftOrder = keyof typeof driftOrders

/** One question: running sums of a series, each addition rounded to `accumulate`, the results to `dtype`. */
export interface DriftAsked {
  readonly id: number
  readonly values: Float64Array
  readonly dtype: DriftDType
  readonly order: DriftOrder
  readonly accumulate: DriftDType
}

/** What came of it. */
export interface DriftAnswer {
  readonly id: number
  /** The running sums, those of the stable way (float32 inside), and the exact ones of the rounded series. */
  readonly sums: Float64Array
  readonly stable: Float64Array
  readonly exact: Float64Array
  /** |sums - exact| and |stable - exact|. */
  readonly error: Float64Array
  readonly stableError: Float64Array
  readonly maxAbs: number
  readonly maxUlps: number
  /** How many elements there were when the sum last changed, null where it goes on. */
  readonly stallIndex: number | null
  readonly stableMaxAbs: number
  /** The a-priori bound of the largest error, and its formula; null where there is none. */
  readonly bound: { readonly bound: number; readonly formula: string } | null
  readonly milliseconds: number
}

/** What the worker says. */
export type DriftTold = { readonly answer: DriftAnswer } | { readonly failed: string }
