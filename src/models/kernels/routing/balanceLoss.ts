import {
  checkName,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { cast, checkTensor, div, mean, mul, slice, sum, type Tensor } from '../../../tensors/tensor/index.js'
import { assignExperts } from './assignExperts.js'
import type { Routing } from './route.js'

/** Which choices count as load. */
export interface BalanceOptions {
  /** 'all' k choices of every token, divided by tokens k; 'first' choices only, as Switch. Default 'all'. */
  readonly choices?: 'all' | 'first'
}

const names: OptionTable<BalanceOptions> = { choices: 'optional' }

/**
 * experts x sum of f_e P_e: 1 where all experts are chosen alike, the more the fewer are chosen.
 *
 * Shape     a number. Dtype that of the scores.
 * Rounding  f_e, the share of the choices, once; P_e, the mean score, a running sum over tokens and once; each product and
 *           the running sum of them; times the number of experts.
 * Gradient  through P_e alone: shares are counts.
 * Source    Switch Transformers, arXiv 2101.03961, (4); added to the loss times .01 there
 *
 * @example balanceLoss(route(tensor([[0, 0], [0, 0]]), { k: 2 })).item() // 1
 */
export function balanceLoss(
  routing: Pick<Routing, 'experts' | 'scores'>,
  options: BalanceOptions = noOptions,
): Tensor {
  checkRecord('balanceLoss', 'routing', routing, ['experts', 'scores'])
  checkTensor('balanceLoss', routing.experts)
  checkTensor('balanceLoss', routing.scores)
  checkOptions('balanceLoss', options, names, { positional: 'choices' })
  const { choices = 'all' } = options
  checkName('balanceLoss', 'choices', choices, ['all', 'first'])
  const { experts, scores } = routing
  const first = choices === 'first' ? slice(experts, [null, [0, 1]]) : experts
  const number = scores.shape[1]!
  const { count } = assignExperts(first, { experts: number, capacity: 1 })
  const shares = cast(div(cast(count, 'float64'), first.size), scores.dtype)
  return mul(sum(mul(shares, mean(scores, { axis: 0 }))), number)
}
