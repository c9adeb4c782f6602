import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { foldIn, type Key, uniform } from '../../tensors/random/index.js'
import { atPoints, type Search } from './search.js'

/** How many configurations are drawn, and from which key. */
export interface RandomOptions {
  readonly trials: number
  readonly key: Key
}

const names: OptionTable<RandomOptions> = { trials: 'required', key: 'required' }

/**
 * Configurations drawn at random, each parameter evenly over its values. Draw i comes from `foldIn(key, i)`: more trials do not
 * change the first ones. One that was drawn before is not tried again.
 *
 * @example random({ trials: 2, key: { data: [0, 0] } }).configurations({ lr: log(1e-4, 1e-2) }) // [{ lr: 0.00483758 }, { lr: 0.000103416 }]
 */
export function random(options: RandomOptions): Search {
  checkOptions('random', options, names, { positional: 'trials' })
  const { trials, key } = options
  checkInteger('random', 'trials', trials, 1, 1e6)
  foldIn(key, 0)
  return {
    name: 'random',
    configurations: (space) =>
      atPoints('random', space, trials, (index, dimensions) => uniform(foldIn(key, index), dimensions)),
  }
}
