import type { DType } from '../../tensor/index.js'

/** What made a value that is not finite out of finite ones, or that it was there from the beginning. */
export type NonFiniteKind =
  | 'input'
  | 'constant'
  | 'overflow'
  | 'division by zero'
  | '0 / 0'
  | 'Inf / Inf'
  | '0 * Inf'
  | 'Inf - Inf'
  | 'log of zero'
  | 'pole'
  | 'outside the domain'
  | 'operation'

/** One element of one recorded operation. */
export interface ElementStep {
  /** The node of `graphOf`, and the operation's name. */
  readonly index: number
  readonly op: string
  readonly dtype: DType
  readonly shape: readonly number[]
  /** The element's coordinates. */
  readonly at: readonly number[]
  readonly value: number
  /** The operand elements it was computed from, by input; of many the first 8 that matter. */
  readonly operands: readonly (readonly number[])[]
  /** How many operand elements each input has. */
  readonly counts: readonly number[]
  /** What the operation gives in float64 from the same operands; undefined where that is not worked out. */
  readonly exact: number | undefined
  /** The source line of the operation, where it was recorded with one: `model.py:12:7`. */
  readonly site?: string | undefined
}

/** A step of the way to the result; `kind` where a value of another kind arose, such as NaN from 0 * Inf. */
export interface ChainStep extends ElementStep {
  readonly kind: NonFiniteKind | undefined
}

/** A step of the history of an operand. */
export interface HistoryStep extends ElementStep {
  /** Rounded to zero; zero, or close to it, by cancellation; something else. */
  readonly how: 'rounded to zero' | 'cancelled' | 'rounded' | 'passed'
}

/** Where the first value that is not finite came from. */
export interface NonFinite extends ElementStep {
  readonly kind: NonFiniteKind
  /** How many nodes the graph has. */
  readonly nodes: number
  /** The largest finite value of the dtype, and for exponentials the operand that reaches it. */
  readonly largest: number
  readonly threshold: number | undefined
  /** Where the zero, or the large operand, was made: from the operation's own operand backwards. */
  readonly history: readonly HistoryStep[]
  /** From the operation to the output, element by element. */
  readonly chain: readonly ChainStep[]
  /** The path of the output in the examined tree. */
  readonly output: string
}
