import {
  add,
  concat,
  div,
  exp,
  full,
  greater,
  log,
  logicalAnd,
  logicalNot,
  logicalOr,
  matmul,
  matrixTranspose,
  max,
  maximum,
  mul,
  neg,
  ones,
  reshape,
  slice,
  sub,
  sum,
  Tensor,
  tanh,
  where,
  zeros,
} from '../../../tensors/tensor/index.js'
import { type Extras, groupedExtras, named } from './extras.js'
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

function pairsOf(plan: FlashPlan, { tq, tk }: Heads, { allowed: more, sinks }: Extras): Pairs {
  const [allowed, visited] = [new Uint8Array(tq * tk), new Uint8Array(tq * tk)]
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
        visited.fill(1, at, at + width)
      }
    }
  }
  const base = new Tensor('bool', [tq, tk], allowed)
  const all = more ? logicalAnd(base, more) : base
  const some = (x: Tensor<'bool'>): Tensor<'bool'> =>
    greater(max(where(x, ones([]), 0), { axis: -1, keepDims: true }), 0)
  const none = zeros([tq, 1], { dtype: 'bool' })
  // With a sink every row has a logit.
  const closed = sinks ? none : logicalNot(some(all))
  const averages = (form === 'splash' || form === 'pallas') && !sinks
  const seen = new Tensor('bool', [tq, tk], averages ? visited : new Uint8Array(tq * tk))
  const averaged = logicalAnd(closed, seen)
  return { allowed: all, averaged, closed, empty: logicalAnd(closed, logicalNot(some(seen))) }
}

/** Axes that let query heads meet the head of keys that they share: [..., kvHeads, group, t, width], group 1 for keys. */
function grouping(heads: Heads, k: Tensor): (x: Tensor, group: number) => Tensor {
  const shared = [...heads.lead.slice(0, -1), k.rank < 3 ? 1 : k.shape.at(-3)!]
  return (x, group) => reshape(x, [...shared, group, ...x.shape.slice(-2)])
}

/** Logits before masks, and what the cap took of them: t of t cap. */
function logitsOf(
  q: Tensor,
  k: Tensor,
  { scale, softCap }: FlashPlan,
  { bias }: Extras,
): { s: Tensor; t: Tensor | undefined } {
  const products = mul(matmul(q, matrixTranspose(k)), scale)
  const t = softCap === undefined ? undefined : tanh(div(products, softCap))
  const s = t ? mul(t, softCap!) : products
  return { s: bias ? add(s, bias) : s, t }
}

/** What flashOp computes, without rounding, over whole rows; `ties` left off. */
export function flashExact([q, k, v, ...rest]: readonly Tensor[], plan: FlashPlan): Tensor {
  const heads = headsOf('flashAttention', q!, k!, v!)
  const extras = groupedExtras(named(plan.extras, rest), heads)
  const { sinks } = extras
  const { lead, group, tq, tk, dv } = heads
  const first = plan.form === 'splash' ? masked : -Infinity
  const column = (value: number): Tensor => full([...lead, tq, 1], value, { dtype: 'float64' })
  if (tk === 0 || heads.count === 0 || tq === 0) {
    const nothing = full([...lead, tq, dv], 0, { dtype: 'float64' })
    return concat([nothing, column(-Infinity), column(first), column(0)], { axis: -1 })
  }
  const { allowed, averaged, empty, closed } = pairsOf(plan, heads, extras)
  const grouped = grouping(heads, k!)
  const { s: every } = logitsOf(grouped(q!, group), grouped(k!, 1), plan, extras)
  const s = where(averaged, 0, every)
  const among = logicalOr(averaged, allowed)
  const most = where(empty, 0, max(where(among, s, -Infinity), { axis: -1, keepDims: true }))
  const largest = sinks ? maximum(most, sinks) : most
  const e = where(among, exp(sub(s, largest)), 0)
  const sums = sum(e, { axis: -1, keepDims: true })
  const total = sinks ? add(sums, exp(sub(sinks, largest))) : sums
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

/** What the backward pass has between its products, whole rows. */
function slopesOf([q, k, v, given, g, ...rest]: readonly Tensor[], plan: FlashPlan) {
  const heads = headsOf('attentionGrad', q!, k!, v!)
  const { group, dv } = heads
  const extras = groupedExtras(named(plan.extras, rest), heads)
  const { allowed, closed } = pairsOf(plan, heads, extras)
  const grouped = grouping(heads, k!)
  const part = (x: Tensor, from: number, to: number): Tensor =>
    grouped(slice(x, [...x.shape.slice(0, -1).map(() => null), [from, to]]), group)
  const [queries, keys, values] = [grouped(q!, group), grouped(k!, 1), grouped(v!, 1)]
  const [out, cotangent] = [part(given!, 0, dv), part(g!, 0, dv)]
  const { s, t } = logitsOf(queries, keys, plan, extras)
  const lse = where(closed, 0, part(given!, dv, dv + 1))
  const p = where(allowed, exp(sub(s, lse)), 0)
  const dp = matmul(cotangent, matrixTranspose(values))
  const delta = sum(plan.delta === 'probs' ? mul(p, dp) : mul(out, cotangent), { axis: -1, keepDims: true })
  const less = sub(delta, part(g!, dv, dv + 1))
  return {
    heads,
    extras,
    allowed,
    queries,
    keys,
    cotangent,
    t,
    lse,
    p,
    delta,
    less,
    inner: mul(sub(dp, less), p),
  }
}

/** What flashGradOp computes, without rounding, over whole rows. */
export function flashGradExact(inputs: readonly Tensor[], plan: FlashPlan): Tensor {
  const { allowed, queries, keys, cotangent, t, p, delta, inner } = slopesOf(inputs, plan)
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

/** The cotangents of bias and sinks, by whole rows. */
export function extraSlopes(inputs: readonly Tensor[], plan: FlashPlan): { bias?: Tensor; sinks?: Tensor } {
  const { heads, extras, lse, less, inner } = slopesOf(inputs, plan)
  const given = named(plan.extras, inputs.slice(5))
  const over = (x: Tensor, grouped: Tensor, like: Tensor): Tensor => {
    const lead = x.rank - grouped.rank
    const axes = x.shape.flatMap((length, i) => (length !== (grouped.shape[i - lead] ?? 1) ? [i] : []))
    return reshape(axes.length === 0 ? x : sum(x, { axis: axes }), like.shape)
  }
  return {
    ...(given.bias && heads.tk > 0 && { bias: over(inner, extras.bias!, given.bias) }),
    ...(given.sinks && {
      sinks: over(neg(mul(exp(sub(extras.sinks!, lse)), less)), extras.sinks!, given.sinks),
    }),
  }
}
