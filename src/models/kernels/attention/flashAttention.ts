import { checkOptions, noOptions } from '../../../base/options/index.js'
import { stopGradient } from '../../../tensors/autodiff/index.js'
import { apply, cast, type FloatDType, mul, slice, type Tensor } from '../../../tensors/tensor/index.js'
import { type FlashOptions, flashNames } from './attentionOptions.js'
import { checkOperands } from './checkOperands.js'
import { flashOp } from './flashOp.js'
import { planOf } from './planOf.js'

/** What a tiled attention gives. */
export interface FlashResult<D extends FloatDType = FloatDType> {
  /** [..., heads, tq, dv], of the operands' dtype. */
  readonly out: Tensor<D>
  /** The output before its last rounding. */
  readonly out32: Tensor<'float32'>
  /** log(sum exp s) of every row, [..., heads, tq]. */
  readonly logsumexp: Tensor<'float32'>
  /** The largest logit, by which probabilities were shifted, NaN where one is; a constant to gradients. */
  readonly max: Tensor<'float32'>
  /** The running sum at the end; a constant to gradients. */
  readonly sum: Tensor<'float32'>
}

/**
 * softmax(q k' scale) v block by block, with a running maximum and sum: as the named kernel rounds, to the bit.
 *
 * Shape     q [..., heads, tq, d], k [..., kvHeads, tk, d], v [..., kvHeads, tk, dv]; heads are a multiple of kvHeads, query head
 *           h reads head floor(h / (heads / kvHeads)). Blocks begin at 0, the last may be shorter; those that the mask leaves
 *           empty are skipped, for `segments`, `lengths` and a mask of every example none. tq and tk may be 0.
 * Dtype     all alike, of at most float32; form 'bfloat16' takes bfloat16.
 * Rounding  products exact where operands have up to 12 significant bits, else rounded to float32; sums float32, index
 *           ascending from +0; exp, exp2, log and tanh correctly rounded to float32; the output once, at the end. Where a form
 *           rounds besides is in its file; docs/kernels.md has the table.
 * Special   a fully masked row: 0 and -Inf in 'flash2' and 'bfloat16'; the mean of the values visited in 'splash' and
 *           'pallas'; where no block was visited NaN and -Inf in 'splash', 0 and -Inf in 'pallas'.
 * Error     `errorBound('attention', ...)`, without `unit`.
 * Unit      with `unit` a block's two products are chains of that GPU's instructions from 0, as `unitDot`'s, and are added to the output in
 *           float32; those of the gradient too, the cotangent rounded to the input format first, but for 8-bit operands, whose gradients are
 *           float32 products. By loops: the tiles in WebAssembly are of exact products.
 * Gradient  of queries, keys and values by tiles; of `bias` and `sinks` over whole rows, in float32.
 * Throws    TypeError for other dtypes; RangeError for shapes that do not fit and options that a form does not have.
 * Cost      4 d FLOPs a pair and head of the blocks computed, as `kernelCost`. Memory beside operands and results: blocks, the
 *           operands once more, and blockQ x tk bytes; never tq x tk, but for masks and segments of every example. Its gradient is one operation too, which has none.
 * Source    Dao, FlashAttention-2, arXiv:2307.08691; jax.experimental.pallas.ops.tpu; ties: Qiu, Yao, arXiv:2510.04212
 *
 * @example const q = tensor([[[1, 0]]])
 * flashAttention(q, q, q).out.toNested() // [[[1, 0]]]
 */
export function flashAttention<D extends FloatDType, E extends D = D>(
  q: Tensor<D>,
  k: Tensor<E>,
  v: Tensor<E>,
  options: FlashOptions = noOptions,
): FlashResult<D> {
  checkOptions('flashAttention', options, flashNames)
  const heads = checkOperands('flashAttention', q, k, v)
  const { plan, beforehand, operands } = planOf('flashAttention', q, heads, options)
  const queries = beforehand === undefined ? q : mul(q, beforehand)
  const all = apply(flashOp, [queries, k, v, ...operands], plan) as Tensor<'float32'>
  const out32 = columns(all, 0, heads.dv)
  const [logsumexp, max, sum] = [0, 1, 2].map((k) => column(all, heads.dv + k)) as [
    Tensor<'float32'>,
    Tensor<'float32'>,
    Tensor<'float32'>,
  ]
  return { out: cast(out32, q.dtype), out32, logsumexp, max: stopGradient(max), sum: stopGradient(sum) }
}

const whole = (x: Tensor): null[] => x.shape.slice(0, -1).map(() => null)

const columns = (x: Tensor<'float32'>, from: number, to: number): Tensor<'float32'> =>
  slice(x, [...whole(x), [from, to]])

const column = (x: Tensor<'float32'>, at: number): Tensor<'float32'> => slice(x, [...whole(x), at])
