import { float32Unary } from '../../../numbers/functions/index.js'
import { type End, type FlashForm, finishBy, rowSum, weighFromMax } from './form.js'
import type { FlashPlan } from './plan.js'
import { masked } from './splash.js'

const { fround } = Math

/**
 * JAX's flash attention for TPUs: masked logits lowered by a large number, the output normalised in every block. One block of
 * all keys is its other kernel, which divides the probabilities before it rounds them.
 *
 * Source    jax.experimental.pallas.ops.tpu.flash_attention
 */
export function pallas({ scale, single }: FlashPlan): FlashForm {
  return {
    firstMax: -Infinity,
    logits({ s, allowed }) {
      for (let i = 0; i < s.length; i++) {
        s[i] = fround(s[i]! * scale) + (allowed === undefined || allowed[i] !== 0 ? 0 : masked)
      }
    },
    weigh(tile, state) {
      const { rows, width, s } = tile
      const { l, factor, share } = state
      weighFromMax(tile, state)
      for (let i = 0; i < rows; i++) {
        const corrected = fround(factor[i]! * l[i]!)
        const sum = fround(rowSum(tile, i) + corrected)
        l[i] = sum
        if (single) {
          for (let j = i * width; j < (i + 1) * width; j++) s[j] = s[j]! / sum
        } else {
          share[i] = sum === 0 ? 1 : fround(1 / sum)
          factor[i] = corrected * share[i]!
        }
      }
    },
    add({ acc, factor, share }, w, rows, dv) {
      if (single) {
        acc.set(w.subarray(0, rows * dv))
        return
      }
      for (let i = 0; i < rows; i++) {
        const [before, now] = [factor[i]!, share[i]!]
        for (let e = i * dv; e < (i + 1) * dv; e++) acc[e] = fround(acc[e]! * before) + fround(w[e]! * now)
      }
    },
    finish: finishBy(pallasEnd),
  }
}

/** Every block has normalised its rows. */
export function pallasEnd(m: number, l: number): End {
  return { by: 1, logsumexp: fround(m + float32Unary.log(l)) }
}
