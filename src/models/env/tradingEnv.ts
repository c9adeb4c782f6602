import {
  checkFlag,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import { randint } from '../../tensors/random/index.js'
import { checkAction } from './checkAction.js'
import type { Environment, Transition } from './environment.js'
import { fitScaler, type Scaler } from './fitScaler.js'
import { checkSeries, type PriceSeries } from './series.js'
import { type Features, tradingFeatures } from './tradingFeatures.js'

/** Where an account stands after the close of a row. */
export interface TradingState {
  /** The row whose close was seen last. */
  readonly row: number
  /** 1 in the asset, 0 out of it, -1 short of it. */
  readonly position: number
  /** What 1 has become. */
  readonly equity: number
  /** The sum of all changes of the position. */
  readonly turnover: number
  /** Decisions taken. */
  readonly steps: number
  /** Means of growth and of its square, for the differential Sharpe ratio. */
  readonly sharpe: readonly [mean: number, square: number]
}

/** The result of a trading step, with all kinds of reward. */
export interface TradingTransition extends Transition<TradingState> {
  readonly rewards: Readonly<Record<TradingReward, number>>
  /** By how much the position changed. */
  readonly turnover: number
}

/** Which reward: ln of the growth of equity, growth - 1, or the derivative of a Sharpe ratio. */
export type TradingReward = 'log' | 'simple' | 'sharpe'

/** An environment of prices. */
export interface TradingEnvironment extends Environment<TradingState> {
  /** The row of the first decision that has a whole window, and the last row of an episode. */
  readonly rows: readonly [first: number, last: number]
  readonly features: Features
  readonly scaler: Scaler
  step(state: TradingState, action: number): TradingTransition
}

/** Options of `tradingEnv`. */
export interface TradingEnvOptions {
  readonly series: PriceSeries
  /** Share of what is traded, paid in each change of position. Default 0.001. */
  readonly fee?: number
  /** Selling goes short instead of out. Default false. */
  readonly short?: boolean
  /** Default 'log'. */
  readonly reward?: TradingReward
  /** Rows of an observation. Default 60. */
  readonly window?: number
  /** The row of the first decision. Default: the first with a whole window, 109 for 60 rows. */
  readonly start?: number
  /** The last row, whose close ends an episode. Default: the series' last. */
  readonly end?: number
  /** The most decisions of an episode, which then starts in a random row. Default: from start to end. */
  readonly maxSteps?: number
  /** Equity at which an episode is over. Default 0.5. */
  readonly ruin?: number
  /** Default `tradingFeatures`. */
  readonly features?: (series: PriceSeries) => Features
  /** Default: fitted on the rows up to `start`, which are known at the first decision. */
  readonly scaler?: Scaler
}

const tradingEnvNames: OptionTable<TradingEnvOptions> = {
  series: 'required',
  fee: 'optional',
  short: 'optional',
  reward: 'optional',
  window: 'optional',
  start: 'optional',
  end: 'optional',
  maxSteps: 'optional',
  ruin: 'optional',
  features: 'optional',
  scaler: 'optional',
}

/** How fast the differential Sharpe ratio forgets. */
const forgetting = 0.01

/**
 * Trading one asset: 0 buys, 1 holds, 2 sells. A decision sees the close of row t, is carried out at the open of row t + 1 and
 * valued at its close. An environment for numerics and for tests of leakage: its results say nothing about profit.
 *
 * Shape     observations [window, 20]: the features of the last rows, scaled.
 * Dtype     equity and rewards float64, observations float32.
 * Rounding  equity times 1 + position (open / last close - 1), times 1 - fee |change|, times 1 + position (close / open - 1), in
 *           this order.
 * Special   terminated: equity at `ruin` or less; truncated: `end` reached, or `maxSteps`. The differential Sharpe ratio is 0
 *           while the variance of its means is 1e-12 or less. Equity of 0 or less has the log reward -Infinity.
 * Throws    as the series is checked; RangeError for actions other than 0, 1, 2 and in rows after which there is none.
 * Cost      features once; an observation is a view of rows, not a copy.
 * Source    J. Moody, M. Saffell, Learning to trade via direct reinforcement, IEEE Trans. Neural Networks 12(4), 2001
 *
 * @example tradingEnv({ series: data.sp500(), end: 300 }).reset(random.key(0)).row // 109
 */
export function tradingEnv(options: TradingEnvOptions): TradingEnvironment {
  checkOptions('tradingEnv', options, tradingEnvNames)
  const { series, fee = 0.001, short = false, reward = 'log', window = 60, ruin = 0.5 } = options
  checkSeries('tradingEnv', series)
  checkNumber('tradingEnv', 'fee', fee, 0, 1)
  checkFlag('tradingEnv', 'short', short)
  checkName('tradingEnv', 'reward', reward, ['log', 'simple', 'sharpe'])
  checkInteger('tradingEnv', 'window', window, 1)
  checkNumber('tradingEnv', 'ruin', ruin, 0, 1)
  const { open, close } = series
  const features = (options.features ?? tradingFeatures)(series)
  const earliest = features.firstRow + window - 1
  const { start = earliest, end = close.length - 1 } = options
  checkInteger('tradingEnv', 'end', end, earliest + 1, close.length - 1)
  checkInteger('tradingEnv', 'start', start, earliest, end - 1)
  const { maxSteps = end - start } = options
  checkInteger('tradingEnv', 'maxSteps', maxSteps, 1, end - start)
  const scaler = options.scaler ?? fitScaler(features, { to: start + 1 })
  const scaled = scaler.apply(features.values)
  const width = features.names.length
  const targets = [1, undefined, short ? -1 : 0] as const

  function step(state: TradingState, action: number): TradingTransition {
    checkRecord('tradingEnv: step', 'state', state, ['row', 'equity'])
    checkAction('tradingEnv: step', action, 3)
    const { row, position } = state
    checkInteger('tradingEnv: step', 'the row', row, earliest, end - 1)
    if (state.equity <= ruin || state.steps >= maxSteps) {
      throw new RangeError(`tradingEnv: step: the episode is over, reset it [step ${state.steps}]`)
    }
    const target = targets[action] ?? position
    const traded = Math.abs(target - position)
    let equity = state.equity * (1 + position * (open[row + 1]! / close[row]! - 1))
    equity *= 1 - fee * traded
    equity *= 1 + target * (close[row + 1]! / open[row + 1]! - 1)
    const growth = equity / state.equity
    const [ratio, sharpe] = differentialSharpe(state.sharpe, growth - 1)
    const rewards = { log: Math.log(Math.max(growth, 0)), simple: growth - 1, sharpe: ratio }
    const terminated = equity <= ruin
    const steps = state.steps + 1
    return {
      state: { row: row + 1, position: target, equity, turnover: state.turnover + traded, steps, sharpe },
      reward: rewards[reward],
      rewards,
      turnover: traded,
      terminated,
      truncated: !terminated && (row + 1 === end || steps >= maxSteps),
    }
  }

  return {
    observationShape: [window, width],
    actions: 3,
    rows: [start, end],
    features,
    scaler,
    reset(key) {
      const row =
        maxSteps === end - start ? start : randint(key, 1, { minval: start, maxval: end - maxSteps + 1 })[0]!
      return { row, position: 0, equity: 1, turnover: 0, steps: 0, sharpe: [0, 0] }
    },
    step,
    observe({ row }) {
      checkInteger('tradingEnv: observe', 'the row', row, earliest, end)
      const last = row - features.firstRow + 1
      return scaled.subarray((last - window) * width, last * width)
    },
  }
}

/** The derivative of an exponential Sharpe ratio by its rate, and its means after the return r. */
function differentialSharpe(
  [a, b]: TradingState['sharpe'],
  r: number,
): [ratio: number, means: TradingState['sharpe']] {
  const variance = b - a * a
  const ratio = variance <= 1e-12 ? 0 : (b * (r - a) - (a * (r * r - b)) / 2) / variance ** 1.5
  return [ratio, [a + forgetting * (r - a), b + forgetting * (r * r - b)]]
}
