import { checkOptions, noOptions } from '../../base/options/index.js'
import { cast, expandDims, sub, type Tensor, where } from '../../tensors/tensor/index.js'
import { type StallCount, stalledUpdates } from '../../training/lowprecision/index.js'
import { living } from './aliveCells.js'
import type { NcaParams } from './ncaParams.js'
import { checkedRule, type NcaRuleOptions, ruleNames, stepped } from './ncaStep.js'

/**
 * How many updates of a step would leave the state as it is: not 0, but lost as they are added and rounded to nearest. Counted
 * over all cells that live, whether they change in this step or not.
 *
 * Rounding  x to `stateDtype`, the updates as `ncaStep`; they are added in float64, where nothing is lost.
 *
 * @example lostUpdates(ncaParams(random.key(0), { channels: 1 }), tensor([[1], [2]]), { dimensions: 1 }).updates // 0
 */
export function lostUpdates(params: NcaParams, x: Tensor, options: NcaRuleOptions = noOptions): StallCount {
  checkOptions('lostUpdates', options, ruleNames)
  const rule = checkedRule('lostUpdates', params, x, options)
  const state = cast(x, rule.stateDtype)
  const wide = cast(state, 'float64')
  const moved = stepped(
    params,
    wide,
    { ...rule, stateDtype: 'float64', alive: undefined },
    undefined,
    undefined,
  )
  const updates = sub(moved, wide)
  const { alive, dimensions, padding } = rule
  const counted = alive
    ? where(expandDims(living(state, alive, dimensions, padding), -1), updates, 0)
    : updates
  return stalledUpdates([state], [counted])
}
