import { checkInteger, checkName, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { softmax } from '../../../numerics/index.js'
import {
  add,
  cast,
  checkTensor,
  div,
  isFloat,
  sigmoid,
  sum,
  type Tensor,
  wideDType,
} from '../../../tensors/tensor/index.js'
import { chosen, topExperts } from './topExperts.js'

/** How tokens choose their experts. */
export interface RouteOptions {
  /** How many experts a token goes to. */
  readonly k: number
  /**
   * 'scores': those of the chosen experts, as Switch and GShard; 'renormalised': divided by their sum, as Mixtral; 'after':
   * softmax over the chosen logits alone, the same numbers in exact arithmetic, not in bits. Default 'scores'.
   */
  readonly weights?: 'scores' | 'renormalised' | 'after'
  /** What a logit becomes: default 'softmax' over all experts; 'sigmoid' as DeepSeek-V3. */
  readonly scores?: 'softmax' | 'sigmoid'
  /** Added to the scores to choose by, and only for that, one number for each expert. Default: none, chosen by logit. */
  readonly bias?: Tensor
}

/** Where tokens go. */
export interface Routing {
  /** The experts of each token, the best first, [tokens, k]. */
  readonly experts: Tensor<'int32'>
  /** Their weights, [tokens, k]. */
  readonly weights: Tensor
  /** The scores of all experts, [tokens, experts]. */
  readonly scores: Tensor
}

const names: OptionTable<RouteOptions> = {
  k: 'required',
  weights: 'optional',
  scores: 'optional',
  bias: 'optional',
}

/**
 * The k experts of every token and their weights.
 *
 * Shape     logits [tokens, experts] -> experts and weights [tokens, k], scores [tokens, experts].
 * Dtype     logits any float; weights and scores float32, float64 for float64.
 * Rounding  logits are widened first, so rounding them beforehand is what chooses others; softmax as numerics', float32 sums.
 * Special   of equal logits the expert of the lowest index first; NaN above Inf, -0 below +0, as lax.top_k.
 * Gradient  through the weights and scores; the choice itself has none.
 * Throws    RangeError for k above the number of experts.
 * Source    Switch Transformers, arXiv 2101.03961; Mixtral, arXiv 2401.04088; DeepSeek-V3, arXiv 2412.19437
 *
 * @example route(tensor([[1, 3, 3, 2]]), { k: 3 }).experts.toNested() // [[1, 2, 3]]
 * @example route(tensor([[0, 1]]), { k: 3 }) // throws route: k is not a whole number from 1 to 2 [3]
 */
export function route(logits: Tensor, options: RouteOptions): Routing {
  checkTensor('route', logits)
  checkOptions('route', options, names, { positional: 'k' })
  const { k, weights: form = 'scores', scores: kind = 'softmax', bias } = options
  if (!isFloat(logits.dtype)) {
    throw new TypeError(`route: needs a floating-point dtype, cast first [${logits.dtype}]`)
  }
  if (logits.rank !== 2) throw new RangeError(`route: logits are no table [${logits.shape.join(', ')}]`)
  const experts = logits.shape[1]!
  checkInteger('route', 'k', k, 1, experts)
  checkName('route', 'weights', form, ['scores', 'renormalised', 'after'])
  checkName('route', 'scores', kind, ['softmax', 'sigmoid'])
  if (form === 'after' && kind === 'sigmoid') {
    throw new RangeError('route: weights after the choice are a softmax, scores are not [sigmoid]')
  }
  const wide: Tensor = cast(logits, wideDType(logits.dtype))
  const scores = kind === 'softmax' ? softmax(wide) : sigmoid(wide)
  const best = topExperts(bias ? add(scores, biasOf(bias, scores)) : wide, k)
  return { experts: best, weights: weigh(form, best, wide, scores), scores }
}

function biasOf(bias: Tensor, scores: Tensor): Tensor {
  checkTensor('route', bias)
  if (bias.rank !== 1 || bias.size !== scores.shape[1]) {
    throw new RangeError(`route: bias is not one number for each expert [${bias.shape.join(', ')}]`)
  }
  return cast(bias, scores.dtype)
}

function weigh(
  form: 'scores' | 'renormalised' | 'after',
  best: Tensor,
  logits: Tensor,
  scores: Tensor,
): Tensor {
  if (form === 'after') return softmax(chosen(logits, best))
  const own = chosen(scores, best)
  return form === 'scores' ? own : div(own, sum(own, { axis: -1, keepDims: true }))
}
