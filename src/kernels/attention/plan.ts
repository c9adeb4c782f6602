import type { FloatDType } from '../../tensor/index.js'
import type { Mask } from '../masks/mask.js'

/** Whose places of rounding a tiled attention has. */
export type FlashFormName = 'flash2' | 'splash' | 'pallas' | 'bfloat16'

/** Which numbers the gradient takes rowsum(dO O) of. */
export type Delta = 'out' | 'out32' | 'probs'

/** Whose backward pass the gradient is. */
export type Backward = 'common' | 'flash2' | 'pallas' | 'splash' | 'splash-fused'

/** Ids of rows and of columns: pairs of unlike ones do not attend. */
export interface SegmentIds {
  readonly q: Int32Array
  readonly kv: Int32Array
}

/** The options of a tiled attention, complete: what its operation is told. */
export interface FlashPlan {
  readonly form: FlashFormName
  readonly mask: Mask
  readonly segments: SegmentIds | undefined
  /** A float32 number. */
  readonly scale: number
  readonly softCap: number | undefined
  readonly blockQ: number
  readonly blockK: number
  /** What probabilities are rounded to for their product with values. */
  readonly probs: FloatDType
  readonly exponent: 'e' | '2' | '2-unfused'
  readonly ties: number | undefined
  /** Of the row sums, in form bfloat16. */
  readonly accumulate: 'float32' | 'bfloat16'
  readonly delta: Delta
  readonly backward: Backward
  /** One block has all keys. */
  readonly single: boolean
}
