import { cartPole } from 'tpu-toolkit/env'
import { key } from 'tpu-toolkit/random'
import { ppo, presets, towers } from 'tpu-toolkit/rl'
import type { Switch } from './switches.js'

/** One run of one switch. */
export interface Row {
  readonly name: string
  readonly seed: number
  readonly steps: number
  /** Steps at which the mean of the last 100 episodes first was 195, 475; null: not within the budget. */
  readonly to195: number | null
  readonly to475: number | null
  /** That mean at the end. */
  readonly last100: number
  readonly clipFraction: number
  readonly exactlyOne: number
  readonly exactlyOneAtFirst: number
  /** Of the processor. */
  readonly seconds: number
  /** The mean of the last 100 episodes after each tenth update. */
  readonly curve: readonly (readonly [steps: number, mean: number])[]
}

/** PPO on CartPole-v1 with rl-zoo's settings. */
export function learned(
  { name, policy = {}, rollout, precision = {}, settings = {} }: Switch,
  seed: number,
  steps: number,
  onUpdate: (done: number, of: number) => void,
): Row {
  const before = process.cpuUsage()
  const shape = { inputs: 4, actions: 2 }
  const run = ppo({
    environment: cartPole(),
    network: towers({ ...shape, policy }),
    ...(rollout && { rolloutNetwork: towers({ ...shape, policy: rollout }) }),
    settings: { ...presets['zoo-cartpole'], ...settings },
    steps,
    precision,
  })
  let state = run.init(key(seed))
  const first: { 195: number | null; 475: number | null } = { 195: null, 475: null }
  const curve: [number, number][] = []
  const returns: number[] = []
  const sums = { clip: 0, one: 0, first: 0 }
  while (state.update < run.updates) {
    const [next, progress] = run.update(state)
    state = next
    for (const episode of progress.finished) {
      returns.push(episode.return)
      if (returns.length < 100) continue
      const mean = returns.slice(-100).reduce((a, b) => a + b, 0) / 100
      for (const level of [195, 475] as const) {
        if (first[level] === null && mean >= level) first[level] = episode.step
      }
    }
    sums.clip += progress.clipFraction
    sums.one += progress.exactlyOne
    sums.first += progress.exactlyOneAtFirst
    if (state.update % 10 === 0) curve.push([progress.steps, progress.meanReturn])
    onUpdate(state.update, run.updates)
  }
  const { user, system } = process.cpuUsage(before)
  return {
    name,
    seed,
    steps,
    to195: first[195],
    to475: first[475],
    last100: state.returns.reduce((a, b) => a + b, 0) / state.returns.length,
    clipFraction: sums.clip / run.updates,
    exactlyOne: sums.one / run.updates,
    exactlyOneAtFirst: sums.first / run.updates,
    seconds: (user + system) / 1e6,
    curve,
  }
}
