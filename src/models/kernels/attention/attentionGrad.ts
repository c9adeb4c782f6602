import { checkOptions, noOptions } from '../../../base/options/index.js'
import {
  apply,
  cast,
  checkTensor,
  concat,
  type FloatDType,
  mul,
  sameShape,
  type Tensor,
  zeros,
} from '../../../tensors/tensor/index.js'
import { type FlashOptions, flashNames } from './attentionOptions.js'
import { checkOperands } from './checkOperands.js'
import { flashGradOp, partsOf, rangeOf, residuals } from './flashGradOp.js'
import { flashOp } from './flashOp.js'
import { planOf } from './planOf.js'

/** The gradients of an attention, each of its operand's dtype and shape. */
export interface AttentionGradients<D extends FloatDType = FloatDType> {
  readonly dq: Tensor<D>
  readonly dk: Tensor<D>
  readonly dv: Tensor<D>
  /** rowsum(dO O) of every row, [..., heads, tq]. */
  readonly delta: Tensor<'float32'>
}

/**
 * The backward pass of `flashAttention` for a cotangent of its output, block by block: probabilities again from logits and
 * logsumexp, ds = p (dp - delta) scale. It is what autodiff does with `flashAttention`.
 *
 * Shape     cotangent [..., heads, tq, dv]; else as `flashAttention`.
 * Dtype     all alike.
 * Rounding  p, dp and ds float32; p and ds to the operands' dtype for their products; each block's product float32 from +0, then
 *           one addition to a float32 total: dq over columns ascending; dk and dv over query heads, in each over rows ascending.
 *           Each once to the dtype at the end. `delta`: 'out' of the rounded output, 'out32' of it before, 'probs' the sum of p dp.
 *           `backward` other than 'common' is where the kernel of the form rounds instead: 'flash2' multiplies the totals of dq
 *           and dk by the scale at the end; 'pallas' has p = exp(s - m) (1 / l); 'splash' another order through the cap, and
 *           'splash-fused' dq rounded to the dtype in every block of keys. docs/kernels.md has the table.
 * Special   a pair that is not allowed has p = 0 and gives nothing in 'common' and 'flash2'; a row without an allowed pair has
 *           p = 1 for those it visited in 'splash', 1 / their number in 'pallas'.
 * Throws    as `flashAttention`.
 * Cost      2.5 times the forward pass, after one; 'probs' 1.2 times that.
 * Source    Dao, FlashAttention-2, arXiv:2307.08691, algorithm 2; jax.experimental.pallas.ops.tpu, flash and splash attention;
 *           'probs': Qiu, Yao, arXiv:2510.04212
 *
 * @example const q = tensor([[[1, 0]]])
 * attentionGrad(q, q, q, q).dv.toNested() // [[[1, 0]]]
 */
export function attentionGrad<D extends FloatDType, E extends D = D>(
  q: Tensor<D>,
  k: Tensor<E>,
  v: Tensor<E>,
  cotangent: Tensor<D>,
  options: FlashOptions = noOptions,
): AttentionGradients<D> {
  checkOptions('attentionGrad', options, flashNames)
  const heads = checkOperands('attentionGrad', q, k, v)
  checkTensor('attentionGrad', cotangent)
  if (cotangent.dtype !== q.dtype) {
    throw new TypeError(
      `attentionGrad: dtypes differ, cast one of them [${q.dtype} and ${(cotangent as Tensor).dtype}]`,
    )
  }
  const shape = [...heads.lead, heads.tq, heads.dv]
  if (!sameShape(cotangent.shape, shape)) {
    throw new RangeError(
      `attentionGrad: cotangent has another shape [${cotangent.shape.join(', ')}, not ${shape.join(', ')}]`,
    )
  }
  const { plan, beforehand, operands } = planOf('attentionGrad', q, heads, options)
  const queries = beforehand === undefined ? q : mul(q, beforehand)
  const given = apply(flashOp, [queries, k, v, ...operands], plan)
  const none = zeros([...shape.slice(0, -1), residuals])
  const g = concat([cast(cotangent, 'float32'), none], { axis: -1 })
  const all = apply(flashGradOp, [queries, k, v, given, g, ...operands], plan)
  const [dq, dk, dv] = partsOf(all, [queries, k, v]) as [Tensor<D>, Tensor<D>, Tensor<D>]
  const delta = rangeOf(all, q.size + k.size + v.size, shape.slice(0, -1)) as Tensor<'float32'>
  return { dq: beforehand === undefined ? dq : mul(dq, beforehand), dk, dv, delta }
}
