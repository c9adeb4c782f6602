import {
  apply,
  canonicalizeNaN,
  cast,
  type FloatDType,
  isFloat,
  type KnownOp,
  type OpCotangent,
  reshape,
  type Shape,
  sizeOf,
  slice,
  Tensor,
} from '../../../tensors/tensor/index.js'
import { columns } from '../gemm/columns.js'
import { isWideInput } from '../gemm/gemmOp.js'
import { product, productsFit, type Span, spanOf, transposeInto } from '../gemm/product.js'
import { float32Of } from '../units/float32Of.js'
import { unitProduct } from '../units/unitProduct.js'
import { backwardByTiles, type Slopes } from './backwardByTiles.js'
import { backwardPass, type Kept } from './backwardPass.js'
import { type BlockOperand, blockOperand } from './blockOperand.js'
import { type ExtraTiles, extraTiles, named } from './extras.js'
import { extraSlopes, flashGradExact } from './flashExact.js'
import { flashProduct, flopsOfProduct } from './flashProduct.js'
import { type Heads, headsOf } from './heads.js'
import { isWide, type Narrow, narrowTo } from './narrow.js'
import { type FlashPlan, inFloat32 } from './plan.js'
import { visits } from './visits.js'

const { fround } = Math

/** Columns behind the output in a row of what flashOp gives: logsumexp, running maximum, running sum. */
export const residuals = 3

/**
 * The backward pass of tiled attention as one operation of q, k, v, what flashOp gave, and its cotangent: the float32 numbers
 * of dq, dk and dv before their last rounding, then delta, end to end.
 */
export const flashGradOp: KnownOp<FlashPlan> = {
  name: 'attentionGrad',
  form: 'whole',
  rounds: 'each step',
  flops: (plan, shapes) => flopsOfProduct(flashProduct(plan, shapes, 'backward')),
  product: (plan, shapes) => flashProduct(plan, shapes, 'backward'),
  gradient: () => {
    throw new RangeError(
      'attentionGrad: a tiled gradient has no gradient of its own, take that of attention [flashAttention]',
    )
  },
  exact: flashGradExact,
  kernel: (inputs, plan) => new Tensor('float32', [lengthOf(inputs)], gradients(inputs, inFloat32(plan))),
}

const lengthOf = ([q, k, v, given]: readonly Tensor[]): number =>
  q!.size + k!.size + v!.size + sizeOf(given!.shape.slice(0, -1))

/** The rule of flashOp. */
export function flashRule({
  g,
  inputs: [q, k, v, ...extras],
  output,
  attributes,
  needs: [, , , ...needs],
}: OpCotangent<FlashPlan>): readonly (Tensor | undefined)[] {
  const all = apply(flashGradOp, [q!, k!, v!, output, g, ...extras], attributes)
  const wide = needs.some((is) => is)
    ? extraSlopes(
        [q!, k!, v!, output, g, ...extras].map((x) => (isFloat(x.dtype) ? cast(x, 'float32') : x)),
        attributes,
      )
    : {}
  const ofExtras = attributes.extras.map((name, i) => {
    const slope = name === 'allowed' || !needs[i] ? undefined : wide[name]
    return slope && cast(slope, extras[i]!.dtype as FloatDType)
  })
  return [...partsOf(all, [q!, k!, v!]), ...ofExtras]
}

/** dq, dk and dv out of what flashGradOp gave, each rounded to its dtype. */
export function partsOf(all: Tensor, inputs: readonly Tensor[]): Tensor[] {
  let start = 0
  return inputs.map(({ dtype, shape, size }) => {
    start += size
    return cast(rangeOf(all, start - size, shape), dtype)
  })
}

/** The elements from `start` on that fill a shape. */
export function rangeOf(all: Tensor, start: number, shape: Shape): Tensor {
  return reshape(slice(all, [[start, start + sizeOf(shape)]]), shape)
}

function gradients([q, k, v, given, g, ...extras]: readonly Tensor[], plan: FlashPlan): Float32Array {
  const heads = headsOf('attentionGrad', q!, k!, v!)
  const { dv } = heads
  const narrow = narrowTo(q!.dtype as FloatDType)
  const stride = dv + residuals
  const [results, slopes] = [float32Of(given!), float32Of(g!)]
  const cotangents = columns(slopes, stride, 0, dv)
  const delta = deltaOfOutput(plan, columns(results, stride, 0, dv), cotangents, dv, narrow)
  const [afterQ, afterK, afterV] = [q!.size, q!.size + k!.size, q!.size + k!.size + v!.size]
  const all = new Float32Array(afterV + delta.length)
  const to: Slopes = {
    ...{ cotangents, delta, logsumexp: columns(results, stride, dv, 1) },
    logsumexpCotangents: columns(slopes, stride, dv, 1),
    ...{ dq: all.subarray(0, afterQ), dk: all.subarray(afterQ, afterK), dv: all.subarray(afterK, afterV) },
  }
  const operands = [q!, k!, v!] as const
  const kept: Kept = {
    logsumexp: to.logsumexp,
    max: columns(results, stride, dv + 1, 1),
    sum: columns(results, stride, dv + 2, 1),
  }
  const isDone = plan.backward === 'common' && backwardByTiles(operands, plan, heads, to)
  if (!isDone) plainly(operands, extraTiles(named(plan.extras, extras), heads), plan, heads, to, kept)
  all.set(delta, afterV)
  canonicalizeNaN(all)
  return all
}

/** The definition for every form, one number after the other between products. */
function plainly(
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
  extras: ExtraTiles,
  plan: FlashPlan,
  { count, kvCount, group, tq, tk, d, dv }: Heads,
  { delta, logsumexpCotangents, ...to }: Slopes,
  kept: Kept,
): void {
  const { blockQ, blockK } = plan
  const dtype = q.dtype as FloatDType
  const wide = isWide(dtype)
  const narrow = narrowTo(dtype)
  const pass = backwardPass(plan)
  const way = plan.unit && isWideInput(plan.unit.logits.inputs[0]) ? plan.unit.logits : undefined
  const rows = Math.min(blockQ, tq)
  const tiles = (): Float32Array => new Float32Array(rows * Math.min(blockK, tk))
  const room = { p: tiles(), turned: tiles(), ds: tiles(), raw: tiles() }
  const product32 = (m: number, k: number, n: number, a: Part, b: Part, out: Float32Array): Float32Array => {
    const result = out.subarray(0, m * n)
    if (way) result.set(unitProduct(a.values, b.values, { m, k, n }, way))
    else product(a.values, b.values, { m, k, n }, result, wide || productsFit(a.span, b.span))
    return result
  }
  const queries = blockOperand(float32Of(q), count, tq, d, blockQ)
  const keys = blockOperand(float32Of(k), kvCount, tk, d, blockK)
  const values = blockOperand(float32Of(v), kvCount, tk, dv, blockK)
  // A unit reads the cotangent in its input format.
  const taken = way && narrow ? new Float32Array(to.cotangents.length) : to.cotangents
  if (taken !== to.cotangents) narrow?.(to.cotangents, taken)
  const cotangents = blockOperand(taken, count, tq, dv, blockQ)
  const added = {
    q: new Float32Array(rows * d),
    k: new Float32Array(blockK * d),
    v: new Float32Array(blockK * dv),
  }
  const visit = visits(plan, tq, tk)

  for (let head = 0; head < count; head++) {
    const kvHead = Math.floor(head / group)
    for (let row = 0; row * blockQ < tq; row++) {
      const { skips, allowed } = visit(row)
      const height = Math.min(blockQ, tq - row * blockQ)
      const first = head * tq + row * blockQ
      const query = partOf(queries, head, row)
      const cotangent = partOf(cotangents, head, row)
      /** The probabilities and dp of a block, into `room`. */
      const block = (column: number): { p: Float32Array; dp: Float32Array; width: number } => {
        const width = Math.min(blockK, tk - column * blockK)
        const key = { values: keys.turned(kvHead, column), span: keys.span(kvHead, column) }
        const p = product32(height, d, width, query, key, room.p)
        if (plan.softCap !== undefined) room.raw.set(p)
        const at = { head, row: row * blockQ, column: column * blockK, rows: height, width }
        const tile = {
          rows: height,
          width,
          s: p,
          allowed: extras.allowed(allowed(column), at),
          bias: extras.bias(at),
        }
        pass.weigh(tile, kept, first)
        const value = { values: values.turned(kvHead, column), span: values.span(kvHead, column) }
        return { p, width, dp: product32(height, dv, width, cotangent, value, room.ds) }
      }
      const columns: number[] = []
      for (let column = 0; column * blockK < tk; column++) if (!skips(column)) columns.push(column)
      if (plan.delta === 'probs') {
        for (const column of columns) {
          const { p, dp, width } = block(column)
          for (let i = 0; i < height; i++) {
            let sum = delta[first + i]!
            for (let e = i * width; e < (i + 1) * width; e++) sum = fround(sum + fround(p[e]! * dp[e]!))
            delta[first + i] = sum
          }
        }
      }
      for (const column of columns) {
        const { p, dp: ds, width } = block(column)
        for (let i = 0; i < height; i++) {
          const less = fround(delta[first + i]! - logsumexpCotangents[first + i]!)
          for (let e = i * width; e < (i + 1) * width; e++) ds[e] = fround(fround(ds[e]! - less) * p[e]!)
        }
        pass.finish(ds, room.raw)
        narrow?.(ds, ds)
        narrow?.(p, p)
        const turned = room.turned.subarray(0, p.length)
        transposeInto(p, height, width, turned)
        const start = kvHead * tk + column * blockK
        const own = { values: turned, span: spanOf(turned) }
        add(to.dv, start * dv, product32(width, height, dv, own, cotangent, added.v))
        transposeInto(ds, height, width, turned)
        const change = { values: turned, span: spanOf(turned) }
        add(to.dk, start * d, product32(width, height, d, change, query, added.k))
        const key = partOf(keys, kvHead, column)
        const ofBlock = product32(height, width, d, { values: ds, span: change.span }, key, added.q)
        if (pass.roundsBlocks) narrow?.(ofBlock, ofBlock)
        add(to.dq, first * d, ofBlock)
      }
    }
  }
  const by = pass.scaledAtEnd
  if (by === undefined) return
  for (const total of [to.dq, to.dk]) for (let e = 0; e < total.length; e++) total[e] = total[e]! * by
}

interface Part {
  readonly values: Float32Array
  readonly span: Span
}

const partOf = (operand: BlockOperand, head: number, index: number): Part => ({
  values: operand.block(head, index),
  span: operand.span(head, index),
})

/** rowsum(out dO) of every row; zeros where delta is that of the probabilities, which blocks add up. */
function deltaOfOutput(
  { delta }: FlashPlan,
  out: Float32Array,
  cotangent: Float32Array,
  dv: number,
  narrow: Narrow | undefined,
): Float32Array {
  const sums = new Float32Array(dv === 0 ? 0 : out.length / dv)
  if (delta === 'probs') return sums
  if (delta === 'out') narrow?.(out, out)
  for (let i = 0; i < sums.length; i++) {
    let sum = 0
    for (let e = i * dv; e < (i + 1) * dv; e++) sum = fround(sum + fround(out[e]! * cotangent[e]!))
    sums[i] = sum
  }
  return sums
}

function add(total: Float32Array, from: number, part: Float32Array): void {
  for (let e = 0; e < part.length; e++) total[from + e] = total[from + e]! + part[e]!
}
