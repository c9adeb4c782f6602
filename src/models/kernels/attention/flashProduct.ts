import { type Shape, sizeOf } from '../../../tensors/tensor/index.js'
import { blockKinds } from '../masks/allows.js'
import type { FlashPlan } from './plan.js'

/** Matrix products of one size. */
interface Products {
  readonly m: number
  readonly k: number
  readonly n: number
  readonly count: number
}

/**
 * The products of tiled attention as so many of one size, a block's: two forward (queries with keys, probabilities with values), five
 * backward, in the blocks that the mask does not skip. Blocks at the edge, which are smaller, count as parts of one. What the softmax
 * does beside them is left out, as `kernelCost` does.
 */
export function flashProduct(
  { mask, blockQ, blockK, delta }: FlashPlan,
  shapes: readonly Shape[],
  pass: 'forward' | 'backward',
): Products {
  const [q, k, v] = shapes as readonly [Shape, Shape, Shape]
  const [tq, d] = q.slice(-2) as [number, number]
  const [tk, dv] = [k.at(-2)!, v.at(-1)!]
  const kindOf = blockKinds(mask)
  let pairs = 0
  for (let i = 0; i < tq; i += blockQ) {
    for (let j = 0; j < tk; j += blockK) {
      const [rows, width] = [Math.min(blockQ, tq - i), Math.min(blockK, tk - j)]
      if (kindOf(i, i + rows, j, j + width) !== 0) pairs += rows * width
    }
  }
  // Backward the probabilities are formed again; for a delta of theirs, twice, with dp.
  const forward = pass === 'forward'
  const again = delta === 'probs' ? 1 : 0
  const [withD, withDv] = forward ? [1, 1] : [3 + again, 2 + again]
  const [m, n] = [Math.min(blockQ, tq), Math.min(blockK, tk)]
  const inner = Math.max(1, Math.round((withD * d + withDv * dv) / (withD + withDv)))
  const macs = sizeOf(q.slice(0, -2)) * pairs * (withD * d + withDv * dv)
  return { m, k: inner, n, count: macs === 0 ? 0 : macs / (m * inner * n) }
}

export function flopsOfProduct({ m, k, n, count }: Products): number {
  return Math.round(2 * m * k * n * count)
}
