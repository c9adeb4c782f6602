import { float32Unary } from '../../../numbers/functions/index.js'
import { dtypeFacts } from '../../../tensors/tensor/index.js'
import {
  addRescaled,
  type End,
  type FlashForm,
  finishBy,
  rowSum,
  select,
  softCapped,
  weighFromMax,
} from './form.js'
import type { FlashPlan } from './plan.js'

const { fround } = Math

/** The logit of a masked pair in JAX's kernels: -0.7 times the largest float32. */
export const masked: number = fround(-0.7 * dtypeFacts('float32').max)

/**
 * JAX's splash attention: queries scaled beforehand, masked logits a finite number, probabilities float32 throughout.
 *
 * Source    jax.experimental.pallas.ops.tpu.splash_attention
 */
export function splash({ softCap }: FlashPlan): FlashForm {
  return {
    firstMax: masked,
    logits(tile) {
      if (softCap !== undefined) softCapped(tile.s, softCap)
      select(tile, masked)
    },
    weigh(tile, state) {
      const { l, factor } = state
      weighFromMax(tile, state)
      for (let i = 0; i < tile.rows; i++) l[i] = rowSum(tile, i) + fround(factor[i]! * l[i]!)
    },
    add: addRescaled,
    finish: finishBy(splashEnd),
  }
}

/** A row without a visited block is NaN. */
export function splashEnd(m: number, l: number): End {
  return { by: fround(1 / l), logsumexp: fround(float32Unary.log(l) + m) }
}
