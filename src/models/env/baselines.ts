import {
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { foldIn, type Key, key, uniform } from '../../tensors/random/index.js'
import type { PriceSeries } from './series.js'
import { type TradingEnvironment, type TradingEnvOptions, tradingEnv } from './tradingEnv.js'

/** What an episode came to. */
export interface Outcome {
  /** What 1 has become. */
  readonly equity: number
  /** The deepest fall below an earlier height, as a share of it. */
  readonly drawdown: number
  readonly turnover: number
  readonly decisions: number
}

/** Options of `baselines`. */
export interface BaselinesOptions
  extends Pick<TradingEnvOptions, 'fee' | 'short' | 'start' | 'end' | 'window' | 'ruin'> {
  /** Random policies to play. Default 200. */
  readonly draws?: number
  /** The turnover of the random policies in a decision, at most 1/2. Default 1/3: all three actions alike. */
  readonly turnover?: number
  /** Default `random.key(0)`. */
  readonly key?: Key
}

/** What policies that know nothing come to, and one that knows everything. */
export interface Baselines {
  readonly flat: Outcome
  readonly buyAndHold: Outcome
  /** Of the random policies the middle, a tenth from the bottom and from the top, and all final equities in ascending order. */
  readonly random: {
    readonly median: number
    readonly p10: number
    readonly p90: number
    readonly turnover: number
    readonly equities: Float64Array
  }
  /** The most that any policy could have come to: a curve near it is a leak. */
  readonly knowsTomorrow: Outcome
}

const baselinesNames: OptionTable<BaselinesOptions> = {
  fee: 'optional',
  short: 'optional',
  start: 'optional',
  end: 'optional',
  window: 'optional',
  ruin: 'optional',
  draws: 'optional',
  turnover: 'optional',
  key: 'optional',
}

/**
 * Reference results on the same rows and fees: always out, buy and hold, random policies of the same
 * turnover, and the best that hindsight allows. They end at `ruin` as an episode does; default 0, where they go on to the end.
 *
 * Dtype     float64.
 * Rounding  as `tradingEnv`.
 * Throws    as `tradingEnv`; RangeError for a turnover above 1/2 and fewer than one draw.
 * Cost      decisions times (draws + 6).
 *
 * @example baselines(data.sp500(), { end: 300, draws: 10 }).flat.equity // 1
 */
export function baselines(series: PriceSeries, options: BaselinesOptions = noOptions): Baselines {
  checkOptions('baselines', options, baselinesNames)
  const { draws = 200, turnover = 1 / 3, key: given = key(0), ...rest } = options
  checkInteger('baselines', 'draws', draws, 1)
  checkNumber('baselines', 'turnover', turnover, 0, 0.5)
  const env = tradingEnv({ series, ruin: 0, ...rest })
  const count = env.rows[1] - env.rows[0]
  const played = Array.from({ length: draws }, (_, i) => {
    const drawn = uniform(foldIn(given, i), count)
    return play(env, (decision) =>
      drawn[decision]! < turnover ? 0 : drawn[decision]! < 2 * turnover ? 2 : 1,
    )
  })
  const equities = Float64Array.from(played, ({ equity }) => equity).sort()
  const at = (share: number): number => equities[Math.round(share * (draws - 1))]!
  const best = bestActions(env, series, rest)
  return {
    flat: play(env, () => 2),
    buyAndHold: play(env, () => 0),
    random: {
      median: at(0.5),
      p10: at(0.1),
      p90: at(0.9),
      turnover: played.reduce((sum, outcome) => sum + outcome.turnover, 0) / draws,
      equities,
    },
    knowsTomorrow: play(env, (decision) => best[decision]!),
  }
}

/**
 * An episode of trading from the first decision to the end, by a policy: an action for what is observed.
 *
 * Throws    as the environment and the policy.
 * Cost      a step of the environment for each decision.
 *
 * @example play(tradingEnv({ series: data.sp500(), end: 300 }), () => 1).equity // 1
 */
export function play(
  env: TradingEnvironment,
  choose: (decision: number, observed: Float32Array) => number,
): Outcome {
  checkRecord('play', 'the environment', env, ['reset', 'step', 'observe'])
  checkFunction('play', 'the policy', choose)
  let state = env.reset(key(0))
  let [highest, drawdown] = [1, 0]
  for (let decision = 0; ; decision++) {
    const next = env.step(state, choose(decision, env.observe(state)))
    state = next.state
    highest = Math.max(highest, state.equity)
    drawdown = Math.max(drawdown, 1 - state.equity / highest)
    if (next.terminated || next.truncated) break
  }
  return { equity: state.equity, drawdown, turnover: state.turnover, decisions: state.steps }
}

/** The actions of the greatest final equity, backwards: what an account of each position is still to be multiplied by. */
function bestActions(
  env: TradingEnvironment,
  { open, close }: PriceSeries,
  { fee = 0.001, short = false }: BaselinesOptions,
): Uint8Array {
  const [first, last] = env.rows
  const positions = [0, 1, ...(short ? [-1] : [])]
  // Short selling leaves a position out of the market only at the start: who sells is short.
  const targets = positions.flatMap((position, i) => (short && position === 0 ? [] : [i]))
  let worth = positions.map(() => 1)
  const choices = positions.map(() => new Uint8Array(last - first))
  for (let t = last - 1; t >= first; t--) {
    const ahead = worth
    worth = positions.map((from, i) => {
      // Holding is a choice too, the only one that keeps an account out once it can go short.
      const ways = [...new Set([i, ...targets])].map((j) => ({
        j,
        worth: grown(from, positions[j]!, t) * ahead[j]!,
      }))
      const best = ways.reduce((a, b) => (b.worth > a.worth ? b : a))
      choices[i]![t - first] = best.j
      return best.worth
    })
  }
  const actions = new Uint8Array(last - first)
  let held = 0
  for (const i of actions.keys()) {
    const next = choices[held]![i]!
    actions[i] = next === held ? 1 : positions[next] === 1 ? 0 : 2
    held = next
  }
  return actions

  function grown(from: number, to: number, t: number): number {
    const overnight = 1 + from * (open[t + 1]! / close[t]! - 1)
    return overnight * (1 - fee * Math.abs(to - from)) * (1 + to * (close[t + 1]! / open[t + 1]! - 1))
  }
}
