import type { FloatDType } from '../../tensors/tensor/index.js'
import type { BitsKept } from './bitsKept.js'

/** A line of the program, and how to write it so that it keeps more bits. */
export interface Rewrite {
  /** What is computed there: calls, or a name where those are many. */
  readonly from: string
  /** The replacement code: constants for shared expressions, then the calls that were run, with the input names of the source. */
  readonly to: string
  /** The meaning of letters that are not inputs: `x is mul at model.ts:3:9`. */
  readonly operands: readonly string[]
  /** The source line; undefined where it was not recorded. */
  readonly site: string | undefined
  /** Numbers of the steps: of a loop all. */
  readonly steps: readonly number[]
  /** Right bits of the outputs with this rewrite alone. */
  readonly alone: BitsKept
  /** The same with all other rewrites and without this one. */
  readonly without: BitsKept
}

/** What rewriting brings. */
export interface Rewriting {
  /** What results were measured against. */
  readonly reference: FloatDType | 'real'
  /** Right bits of the outputs as the program is, and with all rewrites. */
  readonly before: BitsKept
  readonly after: BitsKept
  /** In the order of the run. */
  readonly rewrites: readonly Rewrite[]
  /** Lines that match a pattern, each with every form that could stand there. */
  readonly candidates: number
  /** In lines, 20 at most. */
  toString(): string
}
