import type { FloatDType } from '../../../tensors/tensor/index.js'
import type { Mask } from '../masks/mask.js'
import type { UnitWay } from '../units/unitProduct.js'

/** The kernel whose rounding a tiled attention reproduces. */
export type FlashFormName = 'flash2' | 'splash' | 'pallas' | 'bfloat16'

/** Which numbers the gradient takes rowsum(dO O) of. */
export type Delta = 'out' | 'out32' | 'probs'

/** The kernel whose backward pass the gradient reproduces. */
export type Backward = 'common' | 'flash2' | 'pallas' | 'splash' | 'splash-fused'

/** Ids of rows and of columns: pairs of unlike ones do not attend. */
export interface SegmentIds {
  readonly q: Int32Array
  readonly kv: Int32Array
}

/** What logits are changed by beside the mask that is data: see `Extras`. */
export type ExtraName = 'allowed' | 'bias' | 'sinks'

/** The options of a tiled attention, complete: the attributes of its operation. */
export interface FlashPlan {
  readonly form: FlashFormName
  readonly mask: Mask
  readonly segments: SegmentIds | undefined
  /** As asked for, so that bounds count its rounding: kernels take it from `inFloat32`. */
  readonly scale: number
  /** Likewise. */
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
  /** What its operands are beside queries, keys and values, in this order. */
  readonly extras: readonly ExtraName[]
  /** One block has all keys. */
  readonly single: boolean
  /** The matrix unit that forms the products; undefined: exact ones, summed in float32. */
  readonly unit: UnitPlan | undefined
}

/** How a matrix unit forms the products of an attention. */
export interface UnitPlan {
  /** Queries with keys, and the products of a gradient. */
  readonly logits: UnitWay
  /** Probabilities with values. */
  readonly values: UnitWay
}

/** The plan with the numbers that kernels compute with: scale and cap rounded to float32. */
export function inFloat32(plan: FlashPlan): FlashPlan {
  const { scale, softCap } = plan
  return {
    ...plan,
    scale: Math.fround(scale),
    softCap: softCap === undefined ? undefined : Math.fround(softCap),
  }
}
