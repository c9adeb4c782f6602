import { float32Unary, fmaFloat32 } from '../../../numbers/functions/index.js'
import { exponentials, type Tile } from './form.js'
import { formOf } from './forms.js'
import type { FlashPlan } from './plan.js'

const { fround } = Math

/** What the forward pass left of the rows of a block. */
export interface Kept {
  readonly logsumexp: Float32Array
  readonly max: Float32Array
  readonly sum: Float32Array
}

/** Where a backward pass rounds between its products. */
export interface BackwardPass {
  /** Products of queries and keys to probabilities, in place; `first` is the row of `kept` that the tile begins with. */
  weigh(tile: Tile, kept: Kept, first: number): void
  /** ds of a block times what the soft cap and the scale make of it, in place; `raw` has the products. */
  finish(ds: Float32Array, raw: Float32Array): void
  /** What the totals of dq and dk are multiplied by at the end. */
  readonly scaledAtEnd: number | undefined
  /** The product for dq is rounded to the operands' dtype in every block of keys. */
  readonly roundsBlocks: boolean
}

/** The backward pass that a plan names. */
export function backwardPass(plan: FlashPlan): BackwardPass {
  const { backward, scale, softCap } = plan
  const common: BackwardPass = {
    weigh: fromLogsumexp(plan, true),
    finish(ds, raw) {
      if (softCap !== undefined) {
        for (let e = 0; e < ds.length; e++) {
          const t = float32Unary.tanh(fround(fround(raw[e]! * scale) / softCap))
          ds[e] = fround(ds[e]! * fround(1 - t)) * fround(1 + t)
        }
      }
      for (let e = 0; e < ds.length; e++) ds[e] = ds[e]! * scale
    },
    scaledAtEnd: undefined,
    roundsBlocks: false,
  }
  switch (backward) {
    case 'common':
      return common
    case 'flash2':
      return {
        ...common,
        weigh: plan.exponent === 'e' ? fromLogsumexp(plan, true) : fromBase2(plan),
        finish: () => undefined,
        scaledAtEnd: scale,
      }
    case 'pallas':
      return { ...common, weigh: fromMaxAndSum(plan) }
    case 'splash':
    case 'splash-fused':
      return {
        ...common,
        weigh: fromLogsumexp(plan, false),
        finish: softCap === undefined ? () => undefined : (ds, raw) => throughCap(ds, raw, softCap),
        roundsBlocks: backward === 'splash-fused',
      }
    default:
      throw new RangeError(`attentionGrad: unknown backward [${String(backward satisfies never)}]`)
  }
}

/** exp(s - logsumexp); `clears` what is not allowed, which a row without an allowed pair else keeps. */
function fromLogsumexp(plan: FlashPlan, clears: boolean): BackwardPass['weigh'] {
  const form = formOf({ ...plan, exponent: 'e' })
  return (tile, { logsumexp }, first) => {
    const { s, rows, width, allowed } = tile
    form.logits(tile)
    for (let i = 0; i < rows; i++) {
      for (let e = i * width; e < (i + 1) * width; e++) s[e] = s[e]! - logsumexp[first + i]!
    }
    exponentials(s)
    if (allowed && clears) for (let e = 0; e < s.length; e++) if (allowed[e] === 0) s[e] = 0
  }
}

/** exp2(s c - logsumexp log2 e), c = scale log2 e, s unscaled: fused, or as a product and a difference. */
function fromBase2({ scale, exponent }: FlashPlan): BackwardPass['weigh'] {
  const log2e = fround(Math.LOG2E)
  const c = fround(scale * log2e)
  return ({ s, rows, width, allowed }, { logsumexp }, first) => {
    for (let i = 0; i < rows; i++) {
      const less = fround(logsumexp[first + i]! * log2e)
      for (let e = i * width; e < (i + 1) * width; e++) {
        s[e] = exponent === '2' ? fmaFloat32(s[e]!, c, -less) : fround(s[e]! * c) - less
      }
    }
    exponentials(s, 'exp2')
    if (allowed) for (let e = 0; e < s.length; e++) if (allowed[e] === 0) s[e] = 0
  }
}

/** exp(s - m) (1 / l), the masked lowered as in the forward pass. */
function fromMaxAndSum(plan: FlashPlan): BackwardPass['weigh'] {
  const form = formOf(plan)
  return (tile, { max, sum }, first) => {
    const { s, rows, width } = tile
    form.logits(tile)
    for (let i = 0; i < rows; i++) {
      for (let e = i * width; e < (i + 1) * width; e++) s[e] = s[e]! - max[first + i]!
    }
    exponentials(s)
    for (let i = 0; i < rows; i++) {
      const share = fround(1 / sum[first + i]!)
      for (let e = i * width; e < (i + 1) * width; e++) s[e] = s[e]! * share
    }
  }
}

/** g = ds (1 - t), then g + g t, t = tanh(s / cap). */
function throughCap(ds: Float32Array, raw: Float32Array, cap: number): void {
  for (let e = 0; e < ds.length; e++) {
    const t = float32Unary.tanh(fround(raw[e]! / cap))
    const g = fround(ds[e]! * fround(1 - t))
    ds[e] = g + fround(g * t)
  }
}
