import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { stopGradient } from '../../../tensors/autodiff/index.js'
import {
  add,
  cast,
  checkFloatDType,
  div,
  dtypeFacts,
  equal,
  exp,
  type FloatDType,
  log,
  matmul,
  matrixTranspose,
  max,
  maximum,
  mul,
  reshape,
  sub,
  sum,
  Tensor,
  tanh,
  where,
  wideDType,
} from '../../../tensors/tensor/index.js'
import { allows } from '../masks/allows.js'
import { type AttentionOptions, attentionNames } from './attentionOptions.js'
import { checkOperands } from './checkOperands.js'
import { groupedExtras } from './extras.js'
import type { Heads } from './heads.js'
import type { FlashPlan } from './plan.js'
import { logitOptions } from './planOf.js'

/** How attention computes. */
export interface WholeOptions extends AttentionOptions {
  /** The dtype of logits and probabilities, every step rounded to it. Default: that of the operands, the naive way. */
  readonly internal?: FloatDType
}

const wholeNames: OptionTable<WholeOptions> = { ...attentionNames, internal: 'optional' }

/** What attention gives. */
export interface WholeResult<D extends FloatDType = FloatDType> {
  /** [..., heads, tq, dv], of the operands' dtype. */
  readonly out: Tensor<D>
  /** log(sum exp s) of every row, [..., heads, tq], in `internal`. */
  readonly logsumexp: Tensor
}

/**
 * Attention of whole rows, softmax(q k' scale) v (`nn.attention` is the layer): the reference for the tiled forms, exact in
 * float64. It is made of tensor operations, so it has gradients of any order and rounds as they do.
 *
 * Shape     as `flashAttention`.
 * Dtype     all alike, any float; `internal` needs infinities where there is a mask.
 * Rounding  each to `internal`: products (sums float32, float64 in float64), times scale, softCap's three steps, logit - max,
 *           exp, its sum, probabilities, those then to the dtype of v; the product with v once to its
 *           dtype. internal 'float32' is what jax.nn.dot_product_attention does, the default what bfloat16 does op by op,
 *           its sum of exponentials added in float32.
 * Special   a fully masked row, or tk = 0: 0 and -Inf.
 * Error     `errorBound('attention', ...)` for internal 'float32'.
 * Throws    as `flashAttention`.
 * Cost      holds tq x tk logits for every head.
 * Source    Vaswani et al., Attention Is All You Need, arXiv:1706.03762, 3.2.1
 *
 * @example const q = tensor([[[1, 0]]])
 * attention(q, q, q).out.toNested() // [[[1, 0]]]
 */
export function attention<D extends FloatDType, E extends D = D>(
  q: Tensor<D>,
  k: Tensor<E>,
  v: Tensor<E>,
  options: WholeOptions = noOptions,
): WholeResult<D> {
  checkOptions('attention', options, wholeNames)
  const heads = checkOperands('attention', q, k, v)
  const { internal = q.dtype as FloatDType, softCap } = options
  checkFloatDType('attention', 'internal', internal)
  const { mask, segments, scale, extras } = logitOptions('attention', heads, options)
  const { lead, tq, tk, d, dv } = heads
  const [batch, kvHeads] = [lead.slice(0, -1), k.shape.length < 3 ? 1 : k.shape.at(-3)!]
  const grouped = (x: Tensor, ...rest: readonly number[]): Tensor => reshape(x, [...batch, kvHeads, ...rest])
  const queries = grouped(cast(q, internal), heads.group, tq, d)
  const keys = grouped(cast(k, internal), 1, tk, d)
  const products = mul(matmul(queries, matrixTranspose(keys)), scale)
  const capped = softCap === undefined ? products : mul(tanh(div(products, softCap)), softCap)
  const { allowed, bias, sinks } = groupedExtras(extras, heads)
  const biased = bias ? add(capped, cast(bias, internal)) : capped
  const among = masked(biased, heads, mask, segments)
  if (allowed) checkInfinity(among)
  const logits = allowed ? where(allowed, among, -Infinity) : among
  const { p, logsumexp } =
    tk === 0 || logits.size === 0
      ? nothing(logits)
      : softmax(logits, options.internal ?? wideDType(q.dtype), sinks && cast(sinks, internal))
  const out = matmul(cast(p, v.dtype), grouped(v, 1, tk, dv))
  return {
    out: reshape(out, [...lead, tq, dv]) as Tensor<D>,
    logsumexp: reshape(logsumexp, [...lead, tq]),
  }
}

function masked(
  logits: Tensor,
  { tq, tk }: Heads,
  mask: FlashPlan['mask'],
  segments: FlashPlan['segments'],
): Tensor {
  if (mask.kind === 'full' && !segments) return logits
  checkInfinity(logits)
  const is = allows(mask)
  const allowed = new Uint8Array(tq * tk)
  for (let i = 0, at = 0; i < tq; i++) {
    for (let j = 0; j < tk; j++, at++) {
      allowed[at] = is(i, j) && (!segments || segments.q[i] === segments.kv[j]) ? 1 : 0
    }
  }
  return where(new Tensor('bool', [tq, tk], allowed), logits, -Infinity)
}

function checkInfinity({ dtype }: Tensor): void {
  if (!dtypeFacts(dtype).infinity) {
    throw new TypeError(`attention: masked logits need infinities, take a wider internal [${dtype}]`)
  }
}

function softmax(
  logits: Tensor,
  accumulate: FloatDType,
  sink: Tensor | undefined,
): { readonly p: Tensor; readonly logsumexp: Tensor } {
  const most = max(logits, { axis: -1, keepDims: true })
  const largest = stopGradient(sink ? maximum(most, sink) : most)
  // A row without a pair: every difference is -Inf, not NaN, and no probability is left.
  const shift = where(equal(largest, -Infinity), 0, largest)
  const e = exp(sub(logits, shift))
  const sums = sum(e, { axis: -1, keepDims: true, accumulate })
  const total = sink ? add(sums, exp(sub(sink, shift))) : sums
  const empty = equal(total, 0)
  const divisor = where(empty, 1, total)
  return { p: div(e, divisor), logsumexp: where(empty, -Infinity, add(shift, log(divisor))) }
}

/** No columns: rows of no probabilities. */
function nothing(logits: Tensor): { readonly p: Tensor; readonly logsumexp: Tensor } {
  return { p: logits, logsumexp: log(sum(logits, { axis: -1, keepDims: true })) }
}
