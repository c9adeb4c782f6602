import type { Op, Tensor } from '../../tensors/tensor/index.js'

/** What can happen to one result, by what the operation computed from the operands that it got. */
export type EventKind =
  /** Finite operands, an infinite result where the exact one is finite. */
  | 'overflow'
  /** The exact result is a pole: 1 / 0, log 0. */
  | 'divideByZero'
  /** A NaN from no NaN: Inf - Inf, 0 Inf, 0 / 0, log of a negative number. */
  | 'invalid'
  /** Not zero, below the normal range, and not representable there. */
  | 'underflow'
  /** A sum or difference of two numbers that equals one of them. */
  | 'absorb'
  /** A difference whose exponent is two or more below that of its operands. */
  | 'cancel'

/** Events of one kind at one operation. */
export interface PrecisionEvent {
  /** Number of the step. */
  readonly step: number
  readonly kind: EventKind
  /** In how many elements; for sums, how many additions. */
  readonly count: number
  /** The first element it happened to, row-major. */
  readonly element: number
  /** Its operands. */
  readonly operands: readonly number[]
  readonly result: number
  /** The most bits cancelled; of 'cancel' only. */
  readonly bits?: number
  /** Which invalid operation it was, of 'invalid' only. */
  readonly form?: string
}

/** A step, and how to get the numbers that it read and wrote; `exact` gives its unrounded result on the operands that it got. */
export interface Happening {
  readonly step: number
  readonly op: Op
  readonly operands: readonly Tensor[]
  readonly values: () => readonly Float64Array[]
  readonly result: () => Float64Array
  readonly exact: () => Float64Array
  readonly output: Tensor
  readonly attributes: unknown
}
