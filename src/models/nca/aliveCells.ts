import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { greater, logicalOr, reshape, slice, type Tensor } from '../../tensors/tensor/index.js'
import { along, type NcaPadding, paddings, surrounded } from './neighbours.js'
import { checkedPerception } from './perceive.js'

/** Which cells live: those with a channel above a threshold, in themselves or in a neighbour. */
export interface AliveRule {
  /** Index of the channel. Default 3: opacity, after red, green and blue. */
  readonly channel?: number
  /** Rounded to the dtype of the state. Default 0.1. */
  readonly threshold?: number
}

/** Options of `aliveCells`. */
export interface AliveOptions extends AliveRule {
  /** Axes of cells. Default 2. */
  readonly dimensions?: 1 | 2
  /** Padding beyond the ends: dead cells, or the other end. Default 'zero'. */
  readonly padding?: NcaPadding
}

const ruleNames: OptionTable<AliveRule> = { channel: 'optional', threshold: 'optional' }
const names: OptionTable<AliveOptions> = { ...ruleNames, dimensions: 'optional', padding: 'optional' }

/** The rule with all options filled in, checked for a state of so many channels. */
export function checkedAlive(op: string, rule: AliveRule, channels: number): Required<AliveRule> {
  checkOptions(`${op}: alive`, rule, ruleNames, { positional: 'channel' })
  const { channel = 3, threshold = 0.1 } = rule
  checkInteger(`${op}: alive`, 'channel', channel, 0, channels - 1)
  checkNumber(`${op}: alive`, 'threshold', threshold)
  return { channel, threshold }
}

/**
 * The cells that live: a channel of the cell or of a neighbour (8 of them in a plane, 2 along a line) is above the threshold.
 *
 * Shape     [..., cells, channels] to [..., cells], bool. Rounding none but of the threshold, to the state's dtype.
 * Special   beyond the ends nothing lives, whatever the threshold; with padding 'wrap' the other end lies there. A NaN does not live.
 *
 * @example aliveCells(tensor([[1], [0], [0], [0]]), { dimensions: 1, channel: 0 }).toNested() // [true,true,false,false]
 */
export function aliveCells(x: Tensor, options: AliveOptions = noOptions): Tensor<'bool'> {
  checkOptions('aliveCells', options, names, { positional: 'channel' })
  const { dimensions = 2, padding = 'zero', ...rule } = options
  checkName('aliveCells', 'padding', padding, paddings)
  checkedPerception('aliveCells', x, { dimensions, padding })
  return living(x, checkedAlive('aliveCells', rule, x.shape.at(-1)!), dimensions, padding)
}

/** `aliveCells` with options that were checked. */
export function living(
  x: Tensor,
  { channel, threshold }: Required<AliveRule>,
  dimensions: 1 | 2,
  padding: NcaPadding,
): Tensor<'bool'> {
  const first = x.rank - 1 - dimensions
  const only = slice(x, [...new Array<null>(x.rank - 1).fill(null), [channel, channel + 1]])
  // Compared first: bools are exact, and not every format has an infinity to lie beyond the ends.
  let lives: Tensor = surrounded(greater(only, threshold), dimensions, padding, 0)
  for (let axis = first; axis < first + dimensions; axis++) {
    const length = x.shape[axis]!
    const [before, here, after] = [0, 1, 2].map((from) => along(lives, axis, from, from + length))
    lives = logicalOr(logicalOr(before!, here!), after!)
  }
  return reshape(lives, x.shape.slice(0, -1)) as Tensor<'bool'>
}
