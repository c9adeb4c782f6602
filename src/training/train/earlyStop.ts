import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  checkText,
  type OptionTable,
} from '../../base/options/index.js'
import type { Callback } from './callback.js'

/** When a run has learned enough. */
export interface EarlyStopOptions {
  /** The metric that counts, such as one of the evaluation. Steps that do not have it do not count. */
  readonly metric: string
  /** How many times in a row it may be no better than the best before. */
  readonly patience: number
  /** By how much it is to be better. Default 0. */
  readonly minDelta?: number
  /** Whether small or large is good. Default 'min'. */
  readonly mode?: 'min' | 'max'
}

const names: OptionTable<EarlyStopOptions> = {
  ...{ metric: 'required', patience: 'required', minDelta: 'optional', mode: 'optional' },
}

/**
 * A callback that ends a run whose metric gets no better. Its best value and its count are in the checkpoints.
 *
 * Special   NaN is no better than anything.
 *
 * @example const stop = earlyStop({ metric: 'loss', patience: 2 })
 * [3, 2, 2, 5].map((loss) => stop.onStep({ metrics: { loss } })) // [undefined, undefined, undefined, 'stop']
 */
export function earlyStop(options: EarlyStopOptions): Callback {
  const op = 'earlyStop'
  checkOptions(op, options, names)
  const { metric, patience, minDelta = 0, mode = 'min' } = options
  checkText(op, 'metric', metric)
  checkInteger(op, 'patience', patience, 1)
  checkNumber(op, 'minDelta', minDelta, 0)
  checkName(op, 'mode', mode, ['min', 'max'])
  const sign = mode === 'min' ? 1 : -1
  let best = Number.POSITIVE_INFINITY
  let worse = 0
  return {
    name: `earlyStop ${metric}`,
    onStep: ({ metrics }) => {
      const value = metrics[metric]
      if (value === undefined) return undefined
      const better = sign * value < best - minDelta
      if (better) best = sign * value
      worse = better ? 0 : worse + 1
      return worse >= patience ? 'stop' : undefined
    },
    state: () => ({ best, worse }),
    restore: (state) => {
      ;({ best, worse } = state as { best: number; worse: number })
    },
  }
}
