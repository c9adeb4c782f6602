import { arena, ForwardTiles } from '../../../numbers/simd/index.js'
import type { FloatDType, Tensor } from '../../../tensors/tensor/index.js'
import { float32Of } from '../units/float32Of.js'
import type { Heads } from './heads.js'
import type { FlashPlan } from './plan.js'
import { ends, tileRule } from './tileRule.js'
import { tileVisits } from './tileVisits.js'

/** What flashOp gives, its tiles in the arena: the bits of its plain way. Undefined where the arena has no such tiles. */
export function forwardByTiles(
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
  plan: FlashPlan,
  { count, group, tq, tk, d, dv }: Heads,
  firstMax: number,
): Float32Array | undefined {
  const simd = arena('simd')
  const rule = tileRule(plan, q.dtype as FloatDType)
  if (!simd || !rule || tq === 0 || dv === 0) return undefined
  const { blockQ, blockK } = plan
  const sizes = { rows: Math.min(blockQ, tq), width: Math.min(blockK, tk), d, dv }
  const tiles = ForwardTiles.open(simd, sizes, rule)
  if (!tiles) return undefined
  const [queries, keys, values] = [float32Of(q), float32Of(k), float32Of(v)]
  const end = ends[rule.kind]
  const stride = dv + 3
  const out = new Float32Array(count * tq * stride)
  const visit = tileVisits(plan, tq, tk)
  for (let row = 0; row * blockQ < tq; row++) {
    const { skips, mask } = visit(row)
    const rows = Math.min(blockQ, tq - row * blockQ)
    for (let head = 0; head < count; head++) {
      const first = head * tq + row * blockQ
      tiles.start(queries.subarray(first * d, (first + rows) * d), rows, firstMax)
      for (let column = 0; column * blockK < tk; column++) {
        if (skips(column)) continue
        const width = Math.min(blockK, tk - column * blockK)
        const from = Math.floor(head / group) * tk + column * blockK
        const part = (x: Float32Array, length: number): Float32Array =>
          x.subarray(from * length, (from + width) * length)
        tiles.add(part(keys, d), part(values, dv), width, mask(column))
      }
      out.set(tiles.finish(end), first * stride)
    }
  }
  return out
}
