import type { FormatName } from '../../../numbers/formats/index.js'
import type { ErrorBound } from '../../../numerics/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'

/** What a way of computing stands for: the one under suspicion, its remedy, or a third. */
export type Role = 'naive' | 'stable' | 'other'

/** One way of computing a result, and what theory allows as the error of its worst element. */
export interface Way {
  readonly name: string
  readonly role: Role
  /** Computes it. */
  readonly compute: () => Tensor
  /** What theory allows as the error of its worst element. */
  readonly bound?: () => ErrorBound | undefined
  /** The effective rank of a covariance matrix. */
  readonly effectiveRank?: (result: Tensor) => number | null
  /** The share of a training step's updates that are too small for their parameters. */
  readonly stallShare?: () => number | null
}

/** The ways of computing one thing on one input, with the float64 answer. */
export interface Trial {
  /** What is varied beside input and length, such as 'A = -4'. */
  readonly variant: string
  readonly input: string
  readonly length: number
  readonly reference: Float64Array
  readonly ways: readonly Way[]
}

/** One line of the results. Distances are from the float64 reference; missing: does not apply or not finite. */
export interface Measurement {
  readonly op: string
  readonly variant: string
  readonly input: string
  readonly way: string
  readonly role: Role
  readonly length: number
  readonly maxAbs: number
  readonly maxRel: number
  readonly rms: number
  /** Norm of the errors by the norm of the reference; Infinity where only the reference is 0. */
  readonly normRel: number
  /** The same in dB, -20 log10 of normRel; Infinity without an error. */
  readonly sqnr: number
  /** Signed mean error. */
  readonly bias: number
  readonly maxUlps: number
  /**
   * 1-based place of the last change of a running result, if the exact one moved on after it (by more than the
   * dtype's epsilon) and what was kept is more than an ulp off; else null.
   */
  readonly stallIndex: number | null
  readonly bound: number | null
  /** maxAbs / bound. */
  readonly ofBound: number | null
  /** maxAbs divided by that of the stable way on the same trial. */
  readonly vsStable: number | null
  /** Only of covariance matrices. */
  readonly effectiveRank: number | null
  /** Only of training: the share of the last step's updates under half an ulp. */
  readonly stallShare: number | null
  /** The last element of the result, and its code. */
  readonly last: number
  readonly lastBits: string
  readonly lastReference: number
}

/** Everything an operation needs to set up its trials. */
export interface Lab {
  readonly dtype: FormatName
  readonly seed: number
  readonly lengths: readonly number[]
  readonly inputs: readonly { readonly name: string; readonly about: string; readonly values: Float64Array }[]
}
