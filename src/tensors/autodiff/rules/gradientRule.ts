import type { Op, OpCotangent, Tensor } from '../../tensor/index.js'
import type { SumOptions } from './sumOptions.js'

/** What a rule receives about one recorded operation. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds rules of operations with unlike attributes.
export interface RuleContext<A = any> extends OpCotangent<A> {
  /** How reductions add that undo a broadcast. */
  readonly sum: SumOptions
}

/**
 * The cotangents of the inputs of one operation, each of its input's dtype and shape; undefined where there is none.
 * Written in tensor operations, so that each rounds once to its dtype, and so that the gradient has a gradient.
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type GradientRule<A = any> = (context: RuleContext<A>) => readonly (Tensor | undefined)[]

/** Rules by operation record; 'none' says that the result does not change with the inputs, as far as derivatives see. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type GradientRules = ReadonlyMap<Op<any>, GradientRule | 'none'>
