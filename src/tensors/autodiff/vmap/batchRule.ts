import type { DType, Op, Shape, Tensor } from '../../tensor/index.js'

/** What a rule receives about one recorded operation. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds rules of operations with unlike attributes.
export interface BatchContext<A = any> {
  /** The operands, with the batch as their first axis where they have one. */
  readonly inputs: readonly Tensor[]
  readonly batched: readonly boolean[]
  /** The length of the batch. */
  readonly size: number
  /** The attributes of the operation for one element. */
  readonly attributes: A
  /** The dtype of the result, and its shape for one element. */
  readonly dtype: DType
  readonly shape: Shape
}

/** The results of an operation for a whole batch, with the batch as their first axis: the bits of one element after the other. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type BatchRule<A = any> = (context: BatchContext<A>) => Tensor

/** Rules by operation record. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type BatchRules = ReadonlyMap<Op<any>, BatchRule>
