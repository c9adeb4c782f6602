import {
  add,
  cast,
  concat,
  type FloatDType,
  matmul,
  mul,
  slice,
  type Tensor,
  tril,
} from '../../tensors/tensor/index.js'
import { asColumn, flipped } from './axes.js'
import { checkCount, checkInputs, type SsmInputs, type SsmOptions } from './inputs.js'
import { sumDTypes, sumsOf } from './runningSums.js'
import { scores } from './scores.js'
import { segmentSums } from './segsum.js'
import { expTo } from './stages.js'

/**
 * Chunks of `chunk` positions (default 64; the last one may be shorter) as in Mamba-2: the segsum form inside a chunk,
 * the recurrence between chunks. With a = A dt and ac its running sum within the chunk,
 *   y_i = sum_{j <= i} exp(a_{j+1} + ... + a_i) (C_i . dt_j B_j) x_j + (C_i exp(ac_i)) H,
 *   H' = exp(ac_Q) H + sum_j ((dt_j B_j) exp(a_{j+1} + ... + a_Q))^T x_j.
 *
 * Shape     x [..., L, P], dt [..., L], A [...], B and C [..., L or 1, N] -> [..., L, P].
 * Dtype     all alike, a float; the result has it too.
 * Rounding  every operation above once; sums as `cumsum` says, H and what enters it to `dtypes.states`.
 * Special   exponents are not positive and span one chunk: no overflow.
 * Cost      L chunk exponentials.
 * Source    Transformers are SSMs, arXiv:2405.21060, listing 1
 *
 * @example chunked({ x: ones([3, 1]), dt: ones([3]), A: tensor(0), B: ones([1, 1]), C: ones([1, 1]) }, { chunk: 2 }).toNested() // [[1],[2],[3]]
 */
export function chunked(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  const { length } = checkInputs('chunked', inputs, options)
  const { chunk = 64 } = options
  checkCount('chunked', 'chunk', chunk)
  const parts: Tensor[] = []
  let H: Tensor | undefined
  for (let start = 0; start < length; start += chunk) {
    const end = Math.min(length, start + chunk)
    const { y, state } = oneChunk(cut(inputs, start, end), H, options)
    parts.push(y)
    H = state
  }
  return parts.length === 1 ? parts[0]! : concat(parts, { axis: parts[0]!.rank - 2 })
}

/** A chunk's outputs and the state behind it, from the state before it. */
function oneChunk(
  inputs: SsmInputs,
  H: Tensor | undefined,
  options: SsmOptions,
): { y: Tensor; state: Tensor } {
  const { x, dt, A, B, C } = inputs
  const dtype = x.dtype as FloatDType
  const kept = options.dtypes?.states ?? dtype
  const { how, sums, exponents } = sumDTypes('chunked', dtype, options)
  const product = options.accumulate ? { accumulate: options.accumulate } : {}
  const a = mul(asColumn(A), dt)
  const E = expTo(segmentSums(a, options), dtype)
  const inside = matmul(tril(mul(E, scores(inputs, options))), x, product)
  const last = E.shape.at(-1)! - 1
  const leaving = slice(
    E,
    E.shape.map((_, i) => (i === E.rank - 2 ? last : null)),
  )
  const weighted = mul(mul(asColumn(dt), B), asColumn(leaving))
  const entering = matmul(flipped(cast(weighted, kept)), cast(x, kept), product)
  if (!H) return { y: inside, state: entering }
  const decay = asColumn(expTo(cast(sumsOf(a, a.rank - 1, how, sums), exponents), dtype))
  const before = matmul(mul(C, decay), cast(H, dtype), product)
  const whole = slice(
    decay,
    decay.shape.map((_, i) => (i === decay.rank - 2 ? [last, last + 1] : null)),
  )
  return { y: add(inside, before), state: add(mul(cast(whole, kept), H), entering) }
}

/** The positions [start, end) of a layer. */
function cut({ x, dt, A, B, C }: SsmInputs, start: number, end: number): SsmInputs {
  const along = (value: Tensor, axis: number): Tensor =>
    value.shape.at(axis) === 1
      ? value
      : slice(
          value,
          value.shape.map((_, i) => (i === value.rank + axis ? [start, end] : null)),
        )
  return { x: along(x, -2), dt: along(dt, -1), A, B: along(B, -2), C: along(C, -2) }
}
