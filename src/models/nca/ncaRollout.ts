import {
  checkFlag,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { scan } from '../../tensors/autodiff/index.js'
import { foldIn, type Key, uniform } from '../../tensors/random/index.js'
import { cast, checkTensor, type Shape, type Tensor } from '../../tensors/tensor/index.js'
import { fireMasks } from './fireMasks.js'
import type { NcaParams } from './ncaParams.js'
import { checkedRule, checkMask, type NcaRuleOptions, ruleNames, stepped } from './ncaStep.js'

/** Options of `ncaRollout`. */
export interface NcaRolloutOptions extends NcaRuleOptions {
  /** How many steps. */
  readonly steps: number
  /** The share of the cells that change in a step, drawn from `key`. Default 1: all. */
  readonly fireRate?: number
  /** Which cells change in each step, bool [steps, cells] or with the axes before them: in the place of `fireRate`. */
  readonly masks?: Tensor
  /** How the state is rounded to `stateDtype`: to nearest, ties to even, or up and down at random, drawn from `key`. Default 'nearest-even'. */
  readonly rounding?: 'nearest-even' | 'stochastic'
  /** What is drawn is drawn from it. */
  readonly key?: Key
  /** The state after the last step, or after each: [steps, ...]. Default 'last'. */
  readonly keep?: 'last' | 'all'
  /** For gradients: keep the state of every sqrt(steps) steps alone, and run the others again. Default false. */
  readonly checkpoint?: boolean
}

const names: OptionTable<NcaRolloutOptions> = {
  ...ruleNames,
  steps: 'required',
  fireRate: 'optional',
  masks: 'optional',
  rounding: 'optional',
  key: 'optional',
  keep: 'optional',
  checkpoint: 'optional',
}

/**
 * Runs several steps of an automaton, as one loop.
 *
 * Shape     x [..., cells, channels] to the same, or with `keep: 'all'` [steps, ...].
 * Dtype     the result has `stateDtype`.
 * Rounding  x once to `stateDtype`, then that of `ncaStep` in each step.
 * Gradient  that of the loop; with `checkpoint` the same bits, and about 2 sqrt(steps) states kept.
 * Throws    RangeError for a fire rate below 1 or stochastic rounding without a key; what `ncaStep` throws.
 * Cost      that of `ncaStep`, times steps; with a key inside of `compile` what is drawn is drawn once and kept, so masks are
 *           to be given.
 *
 * @example ncaRollout(ncaParams(random.key(0), { channels: 1 }), tensor([[1], [2]]), { steps: 8, dimensions: 1 }).toNested() // [[1],[2]]
 */
export function ncaRollout(params: NcaParams, x: Tensor, options: NcaRolloutOptions): Tensor {
  checkOptions('ncaRollout', options, names, { positional: 'steps' })
  const { steps, fireRate = 1, masks, rounding = 'nearest-even', key, keep = 'last' } = options
  const { checkpoint = false } = options
  checkInteger('ncaRollout', 'steps', steps, 0)
  checkNumber('ncaRollout', 'fireRate', fireRate, 0, 1)
  checkName('ncaRollout', 'rounding', rounding, ['nearest-even', 'stochastic'])
  checkName('ncaRollout', 'keep', keep, ['last', 'all'])
  checkFlag('ncaRollout', 'checkpoint', checkpoint)
  const rule = checkedRule('ncaRollout', params, x, options)
  const cells = x.shape.slice(0, -1)
  if (masks !== undefined) checkMasks(masks, steps, cells, rule.dimensions)
  const fires = masks ?? firesOf(fireRate, key, steps, cells)
  const draws = rounding === 'stochastic' ? drawsOf(key, [steps, ...x.shape]) : undefined
  const each = { ...(fires && { fires }), ...(draws && { draws }) }
  const all = keep === 'all'
  const step = (state: Tensor, row: Row): [Tensor, { state?: Tensor }] => {
    const next = stepped(params, state, rule, row.fires, row.draws)
    return [next, all ? { state: next } : {}]
  }
  const [last, kept] = scan(step, cast(x, rule.stateDtype), each, { length: steps, checkpoint })
  return kept.state ?? last
}

/** What differs from step to step. */
interface Row {
  readonly fires?: Tensor
  readonly draws?: Tensor
}

/** Undefined where every cell changes in every step. */
function firesOf(fireRate: number, key: Key | undefined, steps: number, shape: Shape): Tensor | undefined {
  if (fireRate === 1) return undefined
  if (key === undefined) {
    throw new RangeError(`ncaRollout: a fire rate below 1 is drawn, give a key [${fireRate}]`)
  }
  return fireMasks(foldIn(key, 0), { steps, shape, fireRate })
}

function drawsOf(key: Key | undefined, shape: Shape): Tensor {
  if (key === undefined) throw new RangeError('ncaRollout: stochastic rounding is drawn, give a key [no key]')
  return uniform(foldIn(key, 1), shape)
}

function checkMasks(masks: Tensor, steps: number, cells: Shape, dimensions: number): void {
  checkTensor('ncaRollout', masks)
  if (masks.rank === 0 || masks.shape[0] !== steps) {
    throw new RangeError(`ncaRollout: masks are not of ${steps} steps [${masks.shape.join(', ')}]`)
  }
  checkMask('ncaRollout', 'masks', masks.dtype, masks.shape.slice(1), cells, dimensions)
}
