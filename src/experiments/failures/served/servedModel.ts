import { causalMask, flashAttention, gemm, rmsNorm } from '../../../models/kernels/index.js'
import { foldIn, key, normal } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  concat,
  div,
  exp,
  expandDims,
  type FloatDType,
  max,
  mul,
  reshape,
  silu,
  slice,
  stack,
  sub,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import type { Load, Schedule } from './schedule.js'

const [width, heads, inner, vocabulary] = [64, 4, 128, 128]
const headLength = width / heads

/** The weights of a decoder block and of its output. */
export interface Weights {
  readonly qkv: Tensor
  readonly out: Tensor
  readonly up: Tensor
  readonly down: Tensor
  readonly logits: Tensor
}

export function drawnWeights(dtype: FloatDType): Weights {
  const drawn = (number: number, from: number, to: number): Tensor =>
    cast(mul(normal(foldIn(key(40), number), [from, to]), 1 / Math.sqrt(from)), dtype)
  return {
    qkv: drawn(0, width, 3 * width),
    out: drawn(1, width, width),
    up: drawn(2, width, inner),
    down: drawn(3, inner, width),
    logits: drawn(4, width, vocabulary),
  }
}

/** The embedded tokens of a prompt, [tokens, width]. */
export const drawnPrompt = (number: number, tokens: number, dtype: FloatDType): Tensor =>
  cast(normal(foldIn(key(41), number), [tokens, width]), dtype)

/** The operations whose results are compared, in the order in which they run. */
export const operations: readonly string[] = [
  'norm',
  'q, k, v',
  'attention',
  'output projection',
  'second norm',
  'up projection',
  'down projection',
  'logits',
]

/** Keys and values of the tokens before, [sequences, heads, tokens, headLength]. */
interface Cache {
  readonly k: Tensor
  readonly v: Tensor
}

/** The results of every operation for the tokens of one step, [sequences, tokens, ...], and the cache with them. */
function step(
  x: Tensor,
  weights: Weights,
  schedule: Schedule,
  cache: Cache | undefined,
): { readonly results: readonly Tensor[]; readonly cache: Cache } {
  const [sequences, tokens] = x.shape as [number, number]
  const load: Load = { sequences, tokens, cached: cache ? cache.k.shape[2]! : 0 }
  const product = (a: Tensor, w: Tensor): Tensor => {
    const [k, columns] = w.shape as [number, number]
    const length = k / schedule.splits(load, k, columns)
    const rows = reshape(a, [sequences * tokens, k]) as Tensor<FloatDType>
    // Each part is rounded to the operands' dtype before they are added.
    let total: Tensor | undefined
    for (let from = 0; from < k; from += length) {
      const range = [from, from + length] as const
      const part = slice(w, [range]) as Tensor<FloatDType>
      const made: Tensor = gemm(slice(rows, [null, range]), part, { unit: 'h100' })
      total = total ? add(total, made) : made
    }
    return reshape(total!, [sequences, tokens, columns])
  }
  const norm = (a: Tensor): Tensor => {
    const parts = schedule.normParts(load)
    return rmsNorm(a as Tensor<FloatDType>, parts === 1 ? {} : { order: { blocked: width / parts } })
  }
  const first = norm(x)
  const qkv = product(first, weights.qkv)
  const [q, k, v] = [0, 1, 2].map((i) => {
    const own = slice(qkv, [null, null, [i * width, (i + 1) * width]])
    return transpose(reshape(own, [sequences, tokens, heads, headLength]), [0, 2, 1, 3])
  }) as [Tensor, Tensor, Tensor]
  const kept: Cache = cache
    ? { k: concat([cache.k, k], { axis: 2 }), v: concat([cache.v, v], { axis: 2 }) }
    : { k, v }
  const attended = joined(q, kept, schedule, load)
  const merged = reshape(transpose(attended, [0, 2, 1, 3]), [sequences, tokens, width])
  const projected = product(merged, weights.out)
  const residual = add(x, projected)
  const second = norm(residual)
  const up = product(second, weights.up)
  const down = product(silu(up), weights.down)
  const logits = product(add(residual, down), weights.logits)
  return { results: [first, qkv, merged, projected, second, up, down, logits], cache: kept }
}

/** Attention over stretches of keys, joined in float32 by their logsumexps, one after the other: FlashDecoding. */
function joined(q: Tensor, { k, v }: Cache, schedule: Schedule, load: Load): Tensor {
  const stretches = schedule.stretches(load, heads)
  const partial = stretches.map(([from, to]) => {
    const part = (x: Tensor): Tensor<FloatDType> =>
      slice(x, [null, null, [from, to], null]) as Tensor<FloatDType>
    const mask = causalMask({ offset: load.cached - from })
    return flashAttention(q as Tensor<FloatDType>, part(k), part(v), { mask, blockK: schedule.blockK })
  })
  if (partial.length === 1) return partial[0]!.out
  const largest = max(stack(partial.map(({ logsumexp }) => logsumexp)), { axis: 0 })
  const weights = partial.map(({ logsumexp }) => exp(sub(logsumexp, largest)))
  const total = weights.reduce((a, b) => add(a, b))
  const out = partial
    .map(({ out32 }, i) => mul(out32, expandDims(weights[i]!, -1)))
    .reduce((a, b) => add(a, b))
  return cast(div(out, expandDims(total, -1)), q.dtype as FloatDType)
}

/** The results of all operations for the first of some prompts, [tokens, ...], in chunks of so many tokens. */
export function served(
  prompts: readonly Tensor[],
  weights: Weights,
  schedule: Schedule,
  chunk: number,
): readonly Tensor[] {
  const x = stack(prompts as Tensor[])
  const tokens = x.shape[1]!
  const rows: Tensor[][] = operations.map(() => [])
  let cache: Cache | undefined
  for (let from = 0; from < tokens; from += chunk) {
    const part = slice(x, [null, [from, Math.min(tokens, from + chunk)]])
    const made = step(part, weights, schedule, cache)
    cache = made.cache
    for (const [i, result] of made.results.entries()) rows[i]!.push(slice(result, [0]))
  }
  return rows.map((parts) => concat(parts))
}
