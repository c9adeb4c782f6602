import { float32Unary, fmaFloat32 } from '../../../numbers/functions/index.js'
import {
  addRescaled,
  type End,
  exponentials,
  type FlashForm,
  finishBy,
  rowMax,
  rowSum,
  scaleRow,
  select,
  softCapped,
} from './form.js'
import type { FlashPlan } from './plan.js'

const { fround } = Math

/**
 * FlashAttention-2's places of rounding: float32 state, masked logits -Inf, probabilities rounded for their product only.
 *
 * Source    Dao, arXiv:2307.08691, and the code of Dao-AILab/flash-attention
 */
export function flash2(plan: FlashPlan): FlashForm {
  const { scale, softCap, ties } = plan
  return {
    firstMax: -Infinity,
    logits(tile) {
      const { s } = tile
      for (let i = 0; i < s.length; i++) s[i] = s[i]! * scale
      if (softCap !== undefined) softCapped(s, softCap)
      select(tile, -Infinity)
    },
    weigh(tile, { m, l, factor }) {
      const { rows, width, s } = tile
      for (let i = 0; i < rows; i++) {
        const next = Math.max(m[i]!, rowMax(tile, i, ties, fround))
        const u = next === -Infinity ? 0 : next
        for (let j = i * width; j < (i + 1) * width; j++) s[j] = s[j]! - u
        factor[i] = float32Unary.exp(fround(m[i]! - u))
        m[i] = next
      }
      exponentials(s)
      addToSums(tile, l, factor)
    },
    add: addRescaled,
    finish: finishBy(flash2End),
  }
}

/** A row without a pair is 0. */
export function flash2End(m: number, l: number): End {
  return l === 0
    ? { by: 0, logsumexp: -Infinity }
    : { by: fround(1 / l), logsumexp: fround(m + float32Unary.log(l)) }
}

/** l = f(f(a l) + rowsum p) of every row. */
export function addToSums(
  tile: Parameters<FlashForm['weigh']>[0],
  l: Float32Array,
  factor: Float32Array,
): void {
  for (let i = 0; i < tile.rows; i++) l[i] = fround(factor[i]! * l[i]!) + rowSum(tile, i)
}

/**
 * The same with powers of 2, as the CUDA kernels compute: exp2(s c - m c), c = scale log2 e, s unscaled, the difference one
 * fused operation, or ('2-unfused') a product and a difference.
 *
 * Source    unfused: pytorch/pytorch#121558
 */
export function flash2Base2(plan: FlashPlan): FlashForm {
  const { scale, ties, exponent } = plan
  const c = fround(scale * fround(Math.LOG2E))
  const unfused = exponent === '2-unfused'
  return {
    firstMax: -Infinity,
    logits: (tile) => select(tile, -Infinity),
    weigh(tile, { m, l, factor }) {
      const { rows, width, s } = tile
      for (let i = 0; i < rows; i++) {
        const next = Math.max(m[i]!, rowMax(tile, i, ties, fround))
        const u = next === -Infinity ? 0 : next
        const mc = fround(u * c)
        for (let j = i * width; j < (i + 1) * width; j++) {
          const x = s[j]!
          if (x === -Infinity) continue
          s[j] = unfused ? fround(x * c) - mc : fmaFloat32(x, c, -mc)
        }
        factor[i] = float32Unary.exp2(fround(fround(m[i]! - u) * c))
        m[i] = next
      }
      exponentials(s, 'exp2')
      addToSums(tile, l, factor)
    },
    add: addRescaled,
    finish(state, i, dv) {
      const [m, l] = [state.m[i]!, state.l[i]!]
      scaleRow(state, i, dv, l === 0 ? 0 : fround(1 / l))
      return l === 0 ? -Infinity : fround(fround(m * scale) + float32Unary.log(l))
    },
  }
}
