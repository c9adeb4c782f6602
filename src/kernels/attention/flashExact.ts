import {
  add,
  concat,
  div,
  exp,
  full,
  log,
  logicalOr,
  matmul,
  matrixTranspose,
  max,
  mul,
  reshape,
  slice,
  sub,
  sum,
  Tensor,
  tanh,
  where,
} from '../../tensor/index.js'
import { type Heads, headsOf } from './heads.js'
import type { FlashPlan } from './plan.js'
import { masked } from './splash.js'
import { visits } from './visits.js'

/** Which pairs attend and which rows have none, as constants of a reference over whole rows. */
interface Pairs {
  readonly allowed: Tensor<'bool'>
  /** Of a row without an allowed pair, those whose average a form takes: the ones of the blocks that it visits. */
  readonly averaged: Tensor<'bool'>
  /** Rows [tq, 1] that have neither. */
  readonly empty: Tensor<'bool'>
  /** Rows [tq, 1] without an allowed pair. */
  readonly closed: Tensor<'bool'>
}

function pairsOf(plan: FlashPlan, { tq, tk }: Heads): Pairs {
  const [allowed, averaged] = [new Uint8Array(tq * tk), new Uint8Array(tq * tk)]
  const visit = visits(plan, tq, tk)
  const { blockQ, blockK, form } = plan
  for (let row = 0; row * blockQ < tq; row++) {
    const { skips, allowed: bitsOf } = visit(row)
    const rows = Math.min(blockQ, tq - row * blockQ)
    for (let column = 0; column * blockK < tk; column++) {
      if (skips(column)) continue
      const bits = bitsOf(column)
      const width = Math.min(blockK, tk - column * blockK)
      for (let i = 0; i < rows; i++) {
        const at = (row * blockQ + i) * tk + column * blockK
        for (let j = 0; j < width; j++) allowed[at + j] = bits ? bits[i * width + j]! : 1
        averaged.fill(1, at, at + width)
      }
    }
  }
  const averages = form === 'splash' || form === 'pallas'
  const [empty, closed] = [new Uint8Array(tq), new Uint8Array(tq)]
  for (let i = 0; i < tq; i++) {
    const lane = averaged.subarray(i * tk, (i + 1) * tk)
    closed[i] = allowed.subarray(i * tk, (i + 1) * tk).includes(1) ? 0 : 1
    if (closed[i] === 0 || !averages) lane.fill(0)
    empty[i] = closed[i] === 1 && !lane.includes(1) ? 1 : 0
  }
  return {
    allowed: new Tensor('bool', [tq, tk], allowed),
    averaged: new Tensor('bool', [tq, tk], averaged),
    empty: new Tensor('bool', [tq, 1], empty),
    closed: new Tensor('bool', [tq, 1], closed),
  }
}

/** Axes that let query heads meet the head of keys that they share: [..., kvHeads, group, t, width], group 1 for keys. */
function grouping(heads: Heads, k: Tensor): (x: Tensor, group: number) => Tensor {
  const shared = [...heads.lead.slice(0, -1), k.rank < 3 ? 1 : k.shape.at(-3)!]
  return (x, group) => reshape(x, [...shared, group, ...x.shape.slice(-2)])
}

/** Logits before masks, and what the cap took of them: t of t cap. */
function logitsOf(q: Tensor, k: Tensor, { scale, softCap }: FlashPlan): { s: Tensor; t: Tensor | undefined } {
  const products = mul(matmul(q, matrixTranspose(k)), scale)
  if (softCap === undefined) return { s: products, t: undefined }
  const t = tanh(div(products, softCap))
  return { s: mul(t, softCap), t }
}

/** What flashOp computes, without rounding, over whole rows; `ties` left off. */
export function flashExact([q, k, v]: readonly Tensor[], plan: FlashPlan): Tensor {
  const heads = headsOf('flashAttention', q!, k!, v!)
  const { lead, group, tq, tk, dv } = heads
  const first = plan.form === 'splash' ? masked : -Infinity
  const column = (value: number): Tensor => full([...lead, tq, 1], value, { dtype: 'float64' })
  if (tk === 0 || heads.count === 0 || tq === 0) {
    const nothing = full([...lead, tq, dv], 0, { dtype: 'float64' })
    return concat([nothing, column(-Infinity), column(first), column(0)], { axis: -1 })
  }
  const { allowed, averaged, empty, closed } = pairsOf(plan, heads)
  const grouped = grouping(heads, k!)
  const { s: every } = logitsOf(grouped(q!, group), grouped(k!, 1), plan)
  const s = where(averaged, 0, every)
  const among = logicalOr(averaged, allowed)
  const largest = where(empty, 0, max(where(among, s, -Infinity), { axis: -1, keepDims: true }))
  const e = where(among, exp(sub(s, largest)), 0)
  const total = sum(e, { axis: -1, keepDims: true })
  const divisor = where(empty, 1, total)
  const out = matmul(div(e, divisor), grouped(v!, 1))
  // The logits of a row that is averaged are all the number that stands for a masked one.
  const shift = add(largest, where(closed, full([tq, 1], masked, { dtype: 'float64' }), 0))
  const lse = where(empty, -Infinity, add(shift, log(divisor)))
  const base2 = plan.exponent === 'e' ? 1 : plan.scale
  const top = where(empty, first, div(shift, base2))
  const parts = [out, lse, top, total].map((x) => reshape(x, [...lead, tq, x.shape.at(-1)!]))
  return concat(parts, { axis: -1 })
}

/** What flashGradOp computes, without rounding, over whole rows. */
export function flashGradExact([q, k, v, given, g]: readonly Tensor[], plan: FlashPlan): Tensor {
  const heads = headsOf('attentionGrad', q!, k!, v!)
  const { group, dv } = heads
  const { allowed, closed } = pairsOf(plan, heads)
  const grouped = grouping(heads, k!)
  const part = (x: Tensor, from: number, to: number): Tensor =>
    grouped(slice(x, [...x.shape.slice(0, -1).map(() => null), [from, to]]), group)
  const [queries, keys, values] = [grouped(q!, group), grouped(k!, 1), grouped(v!, 1)]
  const [out, cotangent] = [part(given!, 0, dv), part(g!, 0, dv)]
  const { s, t } = logitsOf(queries, keys, plan)
  const lse = where(closed, 0, part(given!, dv, dv + 1))
  const p = where(allowed, exp(sub(s, lse)), 0)
  const dp = matmul(cotangent, matrixTranspose(values))
  const delta = sum(plan.delta === 'probs' ? mul(p, dp) : mul(out, cotangent), { axis: -1, keepDims: true })
  const inner = mul(sub(dp, sub(delta, part(g!, dv, dv + 1))), p)
  const through = t ? mul(inner, mul(sub(1, t), add(1, t))) : inner
  const ds = mul(where(allowed, through, 0), plan.scale)
  const overHeads = (x: Tensor): Tensor => sum(x, { axis: -3 })
  const results = [
    matmul(ds, keys),
    overHeads(matmul(matrixTranspose(ds), queries)),
    overHeads(matmul(matrixTranspose(p), cotangent)),
    delta,
  ]
  return concat(results.map((x) => reshape(x, [x.size])))
}
