import { sp500 } from '../../experiments/data/index.js'
import {
  baselines,
  cartPole,
  type Environment,
  fitScaler,
  leakageReport,
  type Outcome,
  play,
  tradingEnv,
  tradingFeatures,
  vectorEnv,
} from '../../models/env/index.js'
import { ncaAgent } from '../../models/nca/index.js'
import { type Ppo, type PpoSettings, ppo, presets, towers } from '../../models/rl/index.js'
import { foldIn, key } from '../../tensors/random/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { RlRequest } from './rlRequest.js'

/** What is trained, and how it is judged; S is what the environment's states are. */
export interface RlTask {
  readonly run: Ppo<Treelike, unknown>
  /** Figures of a policy, by name. */
  readonly evaluate: (params: Treelike) => RlFigures
  /** What figures of all seeds are compared with. */
  readonly beside: (all: readonly RlFigures[]) => readonly RlBeside[]
  /** Facts that the page says. */
  readonly facts: Readonly<Record<string, string>>
}

/** What a policy came to. */
export type RlFigures = Readonly<Record<string, number>>

/** Something that figures are compared with. */
export interface RlBeside {
  readonly name: string
  readonly figures: RlFigures
}

/** The task of a request. */
export function rlTask(request: RlRequest): RlTask {
  return request.task === 'cartpole' ? cartPoleTask(request) : tradingTask(request)
}

function cartPoleTask({ steps, precision }: RlRequest): RlTask {
  const environment = cartPole()
  const network = towers({ inputs: 4, actions: 2, policy: { compute: precision } })
  const run = ppo({ environment, network, settings: presets['zoo-cartpole'], steps })
  return {
    run: run as unknown as Ppo<Treelike, unknown>,
    evaluate: (params) => ({ meanReturn: meanReturn(environment, run as unknown as Ppo, params, 20) }),
    beside: () => [{ name: 'the most that can be', figures: { meanReturn: 500 } }],
    facts: { task: 'CartPole-v1', settings: 'rl-zoo', evaluated: '20 episodes of the greatest logit' },
  }
}

/** Of episodes that are begun together, each until its end. */
function meanReturn<S>(environment: Environment<S>, run: Ppo, params: Treelike, episodes: number): number {
  const envs = vectorEnv(environment, { count: episodes })
  let state = envs.reset(foldIn(key(0), 2 ** 31))
  const sums = Array.from({ length: episodes }, () => 0)
  const over = sums.map(() => false)
  while (over.includes(false)) {
    const next = envs.step(state, run.act(params, envs.observe(state.states)))
    for (let i = 0; i < episodes; i++) {
      if (!over[i]) sums[i]! += next.rewards[i]!
      if (next.terminated[i] === 1 || next.truncated[i] === 1) over[i] = true
    }
    state = next.state
  }
  return sums.reduce((a, b) => a + b, 0) / episodes
}

/** 2,048 rows an update, whose gradients are computed 256 at a time. */
const tradingSettings: PpoSettings = {
  ...presets.cleanrl,
  ...{ environments: 16, rollout: 128, epochs: 4, minibatch: 2048, microBatch: 256, truncation: 'bootstrap' },
}

function tradingTask({ steps, precision, fee }: RlRequest): RlTask {
  const series = sp500()
  const features = tradingFeatures(series)
  const rows = series.close.length
  // Three fifths to train on, the last fifth to judge by; what lies between is not looked at.
  const [trainedTo, judgedFrom] = [Math.floor(0.6 * rows), Math.floor(0.8 * rows)]
  const scaler = fitScaler(features, { to: trainedTo })
  const common = { series, scaler, fee, features: () => features }
  const environment = tradingEnv({ ...common, end: trainedTo - 1, maxSteps: 64 })
  const judged = tradingEnv({ ...common, start: judgedFrom, ruin: 0 })
  const network = ncaAgent({
    ...{ inputs: 20, actions: 3, channels: 8, hidden: 32, steps: 6 },
    dtype: precision,
  })
  const run = ppo({ environment, network, settings: tradingSettings, steps })
  const day = (row: number): string => series.dates[row]!
  return {
    run: run as unknown as Ppo<Treelike, unknown>,
    evaluate: (params) => figures(play(judged, (_, seen) => run.act(params as never, seen)[0]!)),
    beside(all) {
      // Random policies that trade as often as the agents did on the average.
      const traded = all.reduce((sum, each) => sum + each['turnover']!, 0) / all.length
      const often = Math.min(traded / (judged.rows[1] - judged.rows[0]), 0.5)
      const found = baselines(series, { fee, start: judgedFrom, turnover: often })
      const { median, p10, p90, turnover } = found.random
      const random = { drawdown: Number.NaN, turnover }
      return [
        { name: 'always out', figures: figures(found.flat) },
        { name: 'buy and hold', figures: figures(found.buyAndHold) },
        { name: 'random of the same turnover, the middle', figures: { equity: median, ...random } },
        { name: 'random, a tenth from the bottom', figures: { equity: p10, ...random } },
        { name: 'random, a tenth from the top', figures: { equity: p90, ...random } },
        { name: 'hindsight (a curve near it is a leak)', figures: figures(found.knowsTomorrow) },
      ]
    },
    facts: {
      task: 'a cellular automaton trades an index',
      series: 'S&P 500, vega-datasets 3.2.1',
      trained: `${day(environment.rows[0])} to ${day(trainedTo - 1)}`,
      judged: `${day(judgedFrom)} to ${day(rows - 1)}`,
      fee: String(fee),
      'leakage tests': leakageReport(series, { cuts: 1 }).passed ? 'passed' : 'FAILED',
    },
  }
}

const figures = ({ equity, drawdown, turnover }: Outcome): RlFigures => ({ equity, drawdown, turnover })
