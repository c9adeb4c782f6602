import { arena, BackwardTiles } from '../../../numbers/simd/index.js'
import type { FloatDType, Tensor } from '../../../tensors/tensor/index.js'
import { float32Of } from '../units/float32Of.js'
import type { Heads } from './heads.js'
import type { FlashPlan } from './plan.js'
import { slopeRule } from './tileRule.js'
import { type TileVisit, tileVisits } from './tileVisits.js'

/** What the backward pass reads beside queries, keys and values, and what it adds to: heads one after the other. */
export interface Slopes {
  /** [heads, tq, dv]. */
  readonly cotangents: Float32Array
  /** Of every row, as the other two. */
  readonly logsumexp: Float32Array
  /** rowsum(dO O). */
  readonly delta: Float32Array
  readonly logsumexpCotangents: Float32Array
  readonly dq: Float32Array
  readonly dk: Float32Array
  readonly dv: Float32Array
}

/** The gradients of q, k and v, their tiles in the arena: the bits of the plain way. False where the arena has no such tiles. */
export function backwardByTiles(
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
  plan: FlashPlan,
  { kvCount, group, tq, tk, d, dv }: Heads,
  slopes: Slopes,
): boolean {
  const simd = arena('simd')
  const rule = slopeRule(plan, q.dtype as FloatDType)
  if (!simd || !rule) return false
  const { blockQ, blockK } = plan
  const sizes = { rows: Math.min(blockQ, tq), width: Math.min(blockK, tk), d, dv }
  const tiles = BackwardTiles.open(simd, sizes, rule)
  if (!tiles) return false
  const [queries, keys, values] = [float32Of(q), float32Of(k), float32Of(v)]
  const visitOf = tileVisits(plan, tq, tk)
  const less = slopes.delta.map((sum, i) => sum - slopes.logsumexpCotangents[i]!)

  function block(head: number, row: number, kvHead: number, { skips, mask }: TileVisit): void {
    const rows = Math.min(blockQ, tq - row * blockQ)
    const first = head * tq + row * blockQ
    const ofRows = (x: Float32Array, length: number): Float32Array =>
      x.subarray(first * length, (first + rows) * length)
    tiles!.start({
      queries: ofRows(queries, d),
      cotangents: ofRows(slopes.cotangents, dv),
      logsumexp: ofRows(slopes.logsumexp, 1),
      less: ofRows(less, 1),
    })
    for (let column = 0; column * blockK < tk; column++) {
      if (skips(column)) continue
      const width = Math.min(blockK, tk - column * blockK)
      const from = kvHead * tk + column * blockK
      const part = (x: Float32Array, length: number): Float32Array =>
        x.subarray(from * length, (from + width) * length)
      const gradients = { dk: part(slopes.dk, d), dv: part(slopes.dv, dv) }
      tiles!.add({ keys: part(keys, d), values: part(values, dv), ...gradients }, width, mask(column))
    }
    slopes.dq.set(tiles!.finish(), first * d)
  }

  // Keys and values take the gradients of their heads one head after the other, each row by row.
  for (let member = 0; member < group; member++) {
    for (let row = 0; row * blockQ < tq; row++) {
      const visit = visitOf(row)
      for (let kvHead = 0; kvHead < kvCount; kvHead++) block(kvHead * group + member, row, kvHead, visit)
    }
  }
  return true
}
