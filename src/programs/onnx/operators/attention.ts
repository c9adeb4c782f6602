import {
  add,
  arange,
  broadcastTo,
  cast,
  concat,
  div,
  equal,
  exp,
  full,
  greaterEqual,
  less,
  lessEqual,
  matmul,
  max,
  mul,
  reshape,
  slice,
  sub,
  sum,
  type Tensor,
  take,
  tanh,
  transpose,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { widened } from './wide.js'

/** [batch, heads, positions, size] of [batch, positions, heads size]. */
function headsOf(x: Tensor, heads: number): Tensor {
  if (x.rank === 4) return x
  const [batch, positions, width] = x.shape as [number, number, number]
  return transpose(reshape(x, [batch, positions, heads, width / heads]), [0, 2, 1, 3])
}

/** Every head of keys or values as often as queries share it. */
function repeatedHeads(x: Tensor, times: number): Tensor {
  if (times === 1) return x
  const [batch, heads, positions, size] = x.shape as [number, number, number, number]
  const wide = broadcastTo(reshape(x, [batch, heads, 1, positions, size]), [
    batch,
    heads,
    times,
    positions,
    size,
  ])
  return reshape(wide, [batch, heads * times, positions, size])
}

/** What is added to the scores: 0 where a query may attend to a key, -Infinity elsewhere, and a mask of numbers as it is. */
function biasOf(
  call: Call,
  mask: Tensor | undefined,
  queries: number,
  keys: number,
  past: number,
  lengths: Tensor | undefined,
): Tensor {
  const none = full([], -Infinity)
  const zero = full([], 0)
  let bias: Tensor = full([queries, keys], 0)
  if (mask) {
    const missing = keys - mask.shape.at(-1)!
    const numbers = mask.dtype === 'bool' ? where(mask as Tensor<'bool'>, zero, none) : widened(mask)
    const rest = full([...mask.shape.slice(0, -1), missing], -Infinity, { dtype: numbers.dtype as 'float32' })
    bias = add(bias, missing > 0 ? concat([numbers, rest], { axis: -1 }) : numbers)
  }
  // How far a query's position lies behind its place among the queries: what is cached, or of each example its length.
  const offset: Tensor = lengths
    ? reshape(sub(cast(lengths, 'int32'), queries), [lengths.size, 1, 1, 1])
    : full([], past, { dtype: 'int32' })
  const rows = add(reshape(arange(0, queries, { dtype: 'int32' }), [queries, 1]), offset)
  const columns = reshape(arange(0, keys, { dtype: 'int32' }), [1, keys])
  const allow = (allowed: Tensor<'bool'>): void => {
    bias = add(bias, where(allowed, zero, none))
  }
  if (call.flag('is_causal')) allow(lessEqual(columns, rows))
  const [left, right] = [call.number('left_window_size', -1), call.number('right_window_size', -1)]
  if (left >= 0) allow(greaterEqual(columns, sub(rows, left)))
  if (right >= 0) allow(lessEqual(columns, add(rows, right)))
  if (lengths) allow(less(columns, reshape(cast(lengths, 'int32'), [lengths.size, 1, 1, 1])))
  return bias
}

/** Softmax along the last axis; 0 in rows that may attend to nothing. */
function attended(scores: Tensor, bias: Tensor): Tensor {
  const top = max(scores, { axis: -1, keepDims: true })
  const zero = full([], 0)
  const powers = exp(sub(scores, where(equal(top, -Infinity), zero, top)))
  const total = sum(powers, { axis: -1, keepDims: true })
  const shares = div(powers, where(equal(total, 0), full([], 1), total))
  return where(equal(max(bias, { axis: -1, keepDims: true }), -Infinity), zero, shares)
}

function attention(call: Call, ...inputs: (Tensor | undefined)[]): readonly Tensor[] {
  const [q, k, v] = [0, 1, 2].map((i) => call.need(inputs[i], i)) as [Tensor, Tensor, Tensor]
  const [, , , mask, pastKey, pastValue, lengths] = inputs
  const queries = headsOf(q, call.number('q_num_heads', 0))
  const ownKeys = headsOf(k, call.number('kv_num_heads', 0))
  const ownValues = headsOf(v, call.number('kv_num_heads', 0))
  const keys = pastKey ? concat([pastKey, ownKeys], { axis: 2 }) : ownKeys
  const values = pastValue ? concat([pastValue, ownValues], { axis: 2 }) : ownValues
  const times = queries.shape[1]! / keys.shape[1]!
  // Half of the scale on each side, as the specification has it.
  const root = Math.sqrt(call.number('scale', 1 / Math.sqrt(queries.shape[3]!)))
  const wideKeys = widened(repeatedHeads(keys, times))
  let scores = matmul(mul(widened(queries), root), mul(transpose(wideKeys, [0, 1, 3, 2]), root))
  const mode = call.number('qk_matmul_output_mode', 0)
  const raw = scores
  const cap = call.number('softcap', 0)
  if (cap > 0) scores = mul(tanh(div(scores, cap)), cap)
  const capped = scores
  const bias = biasOf(call, mask, queries.shape[2]!, keys.shape[2]!, pastKey?.shape[2] ?? 0, lengths)
  scores = add(scores, cast(bias, scores.dtype))
  const shares = attended(cast(scores, 'float32'), bias)
  const product = matmul(cast(shares, scores.dtype), widened(repeatedHeads(values, times)))
  const shown = [raw, capped, scores, cast(shares, scores.dtype)][mode]
  if (!shown) throw call.error('has an unknown qk_matmul_output_mode', mode)
  return [cast(q.rank === 3 ? joined(product) : product, q.dtype), keys, values, cast(shown, q.dtype)]
}

/** [batch, positions, heads size] of [batch, heads, positions, size]. */
function joined(x: Tensor): Tensor {
  const [batch, heads, positions, size] = x.shape as [number, number, number, number]
  return reshape(transpose(x, [0, 2, 1, 3]), [batch, positions, heads * size])
}

function rotaryEmbedding(
  call: Call,
  x?: Tensor,
  cosines?: Tensor,
  sines?: Tensor,
  positions?: Tensor,
): Tensor {
  const value = call.need(x, 0)
  const heads = value.rank === 4 ? transpose(value, [0, 2, 1, 3]) : undefined
  const [batch, length, width] = value.shape as [number, number, number]
  const count = call.number('num_heads', 0)
  const split = heads ?? reshape(value, [batch, length, count, width / count])
  const size = split.shape[3]!
  const turned = call.number('rotary_embedding_dim', 0) || size
  const cached = (cache: Tensor): Tensor => {
    const rows = positions ? take(cache, cast(positions, 'int32'), { axis: 0 }) : cache
    return reshape(rows, [...rows.shape.slice(0, 2), 1, rows.shape[2]!])
  }
  const [cos, sin] = [cosines, sines].map((one, i) => cached(call.need(one, i + 1))) as [Tensor, Tensor]
  const part = (from: number, to: number, step = 1): Tensor =>
    slice(split, [null, null, null, [from, to, step]])
  const interleaved = call.flag('interleaved')
  const [a, b] = interleaved
    ? [part(0, turned, 2), part(1, turned, 2)]
    : [part(0, turned / 2), part(turned / 2, turned)]
  const real = sub(mul(cos, a), mul(sin, b))
  const imaginary = add(mul(sin, a), mul(cos, b))
  const pairs = interleaved
    ? reshape(
        concat([reshape(real, [...real.shape, 1]), reshape(imaginary, [...real.shape, 1])], { axis: 4 }),
        [...real.shape.slice(0, 3), turned],
      )
    : concat([real, imaginary], { axis: 3 })
  const whole = turned === size ? pairs : concat([pairs, part(turned, size)], { axis: 3 })
  return heads ? transpose(whole, [0, 2, 1, 3]) : reshape(whole, value.shape)
}

/** Attention and its position encoding, opset 23 and newer. */
export const attentionOperators: Readonly<Record<string, Operator>> = {
  Attention: attention,
  RotaryEmbedding: rotaryEmbedding,
}
