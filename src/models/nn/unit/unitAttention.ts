import { checkFlag, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { checkTensor, type FloatDType, type Tensor } from '../../../tensors/tensor/index.js'
import { attention, causalMask } from '../../kernels/index.js'
import { rescale } from './rescale.js'
import { between, checkMultiplier } from './unitFactors.js'

/** Options of unitAttention. */
export interface UnitAttentionOptions {
  /** Logits are q.k mult / d. Default 1. */
  readonly mult?: number
  /** A query sees its own key and those before. Default false. */
  readonly causal?: boolean
  /** The dtype of logits and probabilities. Default: that of q. */
  readonly internal?: FloatDType
}

const names: OptionTable<UnitAttentionOptions> = {
  mult: 'optional',
  causal: 'optional',
  internal: 'optional',
}

/**
 * Attention with results of unit scale: logits q.k mult / d, as muP has them, and one factor for the result and the gradients of q, k
 * and v, between sqrt(t) (sqrt(t / log t) where it is causal), for an average of t values, and 1, for a choice of one.
 *
 * Shape     q, k, v [..., heads, t, d] -> [..., heads, t, d], as `kernels.attention`.
 * Rounding  `kernels.attention`, then the factor.
 * Source    arXiv 2407.17465, appendix B; the package unit-scaling 0.3.5
 *
 * @example unitAttention(tensor([[1]]), tensor([[1]]), tensor([[3]])).toNested() // [[3]]
 */
export function unitAttention<D extends FloatDType>(
  q: Tensor<D>,
  k: Tensor<D>,
  v: Tensor<D>,
  options: UnitAttentionOptions = noOptions,
): Tensor<D> {
  for (const one of [q, k, v]) checkTensor('unitAttention', one)
  checkOptions('unitAttention', options, names)
  const { mult = 1, causal = false, internal } = options
  checkMultiplier('unitAttention', 'mult', mult)
  checkFlag('unitAttention', 'causal', causal)
  if (v.rank < 2) throw new RangeError(`unitAttention: v has less than 2 axes [${v.shape.join(', ')}]`)
  const [length, features] = v.shape.slice(-2) as [number, number]
  // A causal average of one value is that value: the mean over rows of 1 / row is about log(t) / t.
  const average = (causal && length > 1 ? Math.log(length) : 1) / Math.max(1, length)
  const factor = 1 / between(1 / (1 + (4 * features) / mult ** 2), average ** 0.5, 1)
  const [a, b, c] = [q, k, v].map((x) => rescale(x, { backward: factor })) as [
    Tensor<D>,
    Tensor<D>,
    Tensor<D>,
  ]
  const { out } = attention(a, b, c, {
    scale: mult / features,
    ...(causal && { mask: causalMask() }),
    ...(internal !== undefined && { internal }),
  })
  return rescale(out, { forward: factor })
}
