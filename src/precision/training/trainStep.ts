import type { GradientLeafError } from './gradientErrors.js'
import type { LeafUpdate } from './updates.js'

/** What one source line did to all the leaves that it writes. */
export interface UpdateLine {
  readonly op: string | undefined
  readonly site: string | undefined
  readonly leaves: readonly string[]
  /** Elements that exact arithmetic would change, and those of them that stayed as they were. */
  readonly asked: number
  readonly unchanged: number
}

/** What a source line adds to the error of the gradients. */
export interface GradientLine {
  readonly name: string
  readonly site: string | undefined
  readonly steps: readonly number[]
  /** Its share of the gradients' mean square error, to first order: shares add up to 1; one below 0 made others good. */
  readonly share: number
}

/** Numbers that are others in the dtype they were used in. */
export interface RoundedConstant {
  /** `0.999, which is 1 in bfloat16 (0.1 % off)`. */
  readonly text: string
  /** How far the worst of them changed, relative to itself. */
  readonly relative: number
  readonly site: string | undefined
}

/** A training step beside float64, as plain data. */
export interface TrainStepShadow {
  /** Of every leaf of the parameters, and of the state where the step returns it. */
  readonly updates: readonly LeafUpdate[]
  readonly lines: readonly UpdateLine[]
  /** The loss of the step as it was computed, and on the same arguments in float64; undefined where the step returns none. */
  readonly loss: { readonly value: number; readonly exact: number } | undefined
  /** The gradients' errors, the largest against its gradient's size first; empty where they are not known. */
  readonly gradients: readonly GradientLeafError[]
  readonly gradientLines: readonly GradientLine[]
  /** Whether gradients could be measured: the step may return no loss, or compute gradients of something else. */
  readonly gradientsOf: 'loss' | 'no loss' | 'not found'
  readonly constants: readonly RoundedConstant[]
  /** Operations of the step. */
  readonly operations: number
  /** The report, 40 lines at most. */
  toString(): string
}
