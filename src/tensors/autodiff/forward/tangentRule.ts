import type { Op, Tensor } from '../../tensor/index.js'

/** What a rule receives about one recorded operation. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds rules of operations with unlike attributes.
export interface TangentContext<A = any> {
  /** The tangents of the inputs, of their dtypes and shapes; undefined where there is none. One at least is there. */
  readonly tangents: readonly (Tensor | undefined)[]
  readonly inputs: readonly Tensor[]
  readonly output: Tensor
  readonly attributes: A
}

/** The tangent of an operation's result, of its dtype and shape, in tensor operations; undefined where there is none. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type TangentRule<A = any> = (context: TangentContext<A>) => Tensor | undefined

/** Rules by operation record; 'none' says that the result does not change with the inputs, as far as derivatives see. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type TangentRules = ReadonlyMap<Op<any>, TangentRule | 'none'>
