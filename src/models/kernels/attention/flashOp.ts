import { canonicalizeNaN, type FloatDType, type KnownOp, Tensor } from '../../../tensors/tensor/index.js'
import { product, productsFit, spanOf } from '../gemm/product.js'
import { float32Of } from '../units/float32Of.js'
import { unitProduct } from '../units/unitProduct.js'
import { blockOperand } from './blockOperand.js'
import { type ExtraTiles, extraTiles, named } from './extras.js'
import { flashExact } from './flashExact.js'
import { flashRule, residuals } from './flashGradOp.js'
import { flashProduct, flopsOfProduct } from './flashProduct.js'
import type { FlashForm, State } from './form.js'
import { formOf } from './forms.js'
import { forwardByTiles } from './forwardByTiles.js'
import { type Heads, headsOf } from './heads.js'
import { isWide, narrowTo } from './narrow.js'
import { type FlashPlan, inFloat32 } from './plan.js'
import { visits } from './visits.js'

/**
 * Tiled attention as one operation: float32 [..., heads, tq, dv + 3], in every row the output before its last rounding, then
 * logsumexp, maximum and sum. Its memory beside operands and result is that of blocks.
 */
export const flashOp: KnownOp<FlashPlan> = {
  name: 'flashAttention',
  form: 'whole',
  rounds: 'each step',
  gradient: flashRule,
  flops: (plan, shapes) => flopsOfProduct(flashProduct(plan, shapes, 'forward')),
  product: (plan, shapes) => flashProduct(plan, shapes, 'forward'),
  exact: flashExact,
  kernel: ([q, k, v, ...extras], asked) => {
    const plan = inFloat32(asked)
    const heads = headsOf('flashAttention', q!, k!, v!)
    const form = formOf(plan)
    const operands = [q!, k!, v!] as const
    const out =
      forwardByTiles(operands, plan, heads, form.firstMax) ??
      plainly(operands, extraTiles(named(plan.extras, extras), heads), plan, heads, form)
    const stride = heads.dv + residuals
    for (let at = stride - 1; at < out.length; at += stride) {
      // Kernels pass over a NaN where they look for the largest logit: their sums do not.
      if (Number.isNaN(out[at]!) && out[at - 1]! < Infinity) out[at - 1] = Number.NaN
    }
    canonicalizeNaN(out)
    return new Tensor('float32', [...heads.lead, heads.tq, heads.dv + residuals], out)
  },
}

/** The definition of every form, one number after the other between products. */
function plainly(
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
  extras: ExtraTiles,
  plan: FlashPlan,
  { count, kvCount, group, tq, tk, d, dv }: Heads,
  form: FlashForm,
): Float32Array {
  const { blockQ, blockK } = plan
  const dtype = q.dtype as FloatDType
  const queries = blockOperand(float32Of(q), count, tq, d, blockQ)
  const keys = blockOperand(float32Of(k), kvCount, tk, d, blockK)
  const values = blockOperand(float32Of(v), kvCount, tk, dv, blockK)
  const narrow = narrowTo(plan.probs)
  // Operands of up to 12 bits have exact products; float32 ones round them.
  const [rounded, roundedProbs] = [isWide(dtype), isWide(dtype) || isWide(plan.probs)]
  const [most, wide] = [Math.min(blockQ, tq), Math.min(blockK, tk)]
  const [logits, narrowed] = [new Float32Array(most * wide), new Float32Array(most * wide)]
  const products = new Float32Array(most * dv)
  const state: State = {
    m: new Float32Array(most),
    l: new Float32Array(most),
    acc: new Float32Array(most * dv),
    factor: new Float32Array(most),
    share: new Float32Array(most),
  }
  const stride = dv + residuals
  const out = new Float32Array(count * tq * stride)
  const visit = visits(plan, tq, tk)
  const columns = Math.ceil(tk / blockK)
  for (let row = 0; row * blockQ < tq; row++) {
    const { skips, allowed } = visit(row)
    const rows = Math.min(blockQ, tq - row * blockQ)
    for (let head = 0; head < count; head++) {
      const kvHead = Math.floor(head / group)
      const sink = extras.sink(head)
      // A sink is the first logit of every row.
      state.m.fill(sink ?? form.firstMax)
      state.l.fill(sink === undefined ? 0 : 1)
      state.acc.fill(0)
      for (let column = 0; column < columns; column++) {
        if (skips(column)) continue
        const width = Math.min(blockK, tk - column * blockK)
        const s = logits.subarray(0, rows * width)
        const exact = rounded || productsFit(queries.span(head, row), keys.span(kvHead, column))
        const turned = keys.turned(kvHead, column)
        const sizes = { m: rows, k: d, n: width }
        if (plan.unit) s.set(unitProduct(queries.block(head, row), turned, sizes, plan.unit.logits))
        else product(queries.block(head, row), turned, sizes, s, exact)
        const at = { head, row: row * blockQ, column: column * blockK, rows, width }
        const tile = { rows, width, s, allowed: extras.allowed(allowed(column), at), bias: extras.bias(at) }
        form.logits(tile)
        form.weigh(tile, state)
        const p = narrow ? narrowed.subarray(0, s.length) : s
        narrow?.(s, p)
        const w = products.subarray(0, rows * dv)
        const plain = roundedProbs || productsFit(spanOf(p), values.span(kvHead, column))
        const value = values.block(kvHead, column)
        const inner = { m: rows, k: width, n: dv }
        if (plan.unit) w.set(unitProduct(p, value, inner, plan.unit.values))
        else product(p, value, inner, w, plain)
        form.add(state, w, rows, dv)
      }
      for (let i = 0; i < rows; i++) {
        const at = (head * tq + row * blockQ + i) * stride
        const lse = form.finish(state, i, dv)
        out.set(state.acc.subarray(i * dv, (i + 1) * dv), at)
        out[at + dv] = lse
        out[at + dv + 1] = state.m[i]!
        out[at + dv + 2] = state.l[i]!
      }
    }
  }
  return out
}
