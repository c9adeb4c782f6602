import type { BlockMap, FlashFormName, Mask } from 'tpu-toolkit/kernels'

/** The dtypes of queries, keys and values. */
export const operandDTypes = ['bfloat16', 'float16', 'float32'] as const
export type OperandDType = (typeof operandDTypes)[number]

/** Which blocks of a mask are computed. */
export interface MapAsked {
  readonly kind: 'map'
  readonly mask: Mask
  readonly tokens: number
  readonly blockQ: number
  readonly blockK: number
}

/** The blocks, a picture of the mask, and what other block sizes would compute. */
export interface MapAnswer {
  readonly asked: MapAsked
  readonly map: BlockMap
  /** The mask itself, in cells of a pair or a few: 0 nothing of a cell attends, 1 some, 2 all. */
  readonly fine: { readonly side: number; readonly cells: Uint8Array }
  /** For square blocks of each size the share of all pairs that is computed. */
  readonly sizes: readonly { readonly size: number; readonly computed: number }[]
}

/** How far the forms of a kernel are off. */
export interface ErrorsAsked {
  readonly kind: 'errors'
  readonly mask: Mask
  readonly tokens: number
  readonly dtype: OperandDType
  /** What queries are multiplied by: larger logits, sharper attention. */
  readonly factor: number
  readonly seed: number
}

/** The error of one form at one block size, against whole rows in float64. */
export interface FormError {
  readonly size: number
  readonly rms: number
  readonly most: number
  readonly bound: number
}

/** A form by block sizes, or whole rows, which have one error. */
export interface FormRun {
  readonly form: FlashFormName | 'whole, float32 inside' | 'whole, op by op'
  readonly errors: readonly FormError[]
}

export interface ErrorsAnswer {
  readonly asked: ErrorsAsked
  readonly runs: readonly FormRun[]
}

export type AttentionAsked = MapAsked | ErrorsAsked

/** What the worker says: parts have the forms that are done. */
export type AttentionTold =
  | { readonly part: ErrorsAnswer }
  | { readonly answer: MapAnswer | ErrorsAnswer }
  | { readonly failed: string }
