import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sp500 } from 'tpu-toolkit/data'
import { baselines, fitScaler, type Outcome, play, tradingEnv, tradingFeatures } from 'tpu-toolkit/env'
import { writeFileAtomic } from 'tpu-toolkit/files'
import { type NcaAgentParams, ncaAgent } from 'tpu-toolkit/nca'
import { key } from 'tpu-toolkit/random'
import { type PpoSettings, type PpoState, ppo, presets } from 'tpu-toolkit/rl'
import { pathsOf } from 'tpu-toolkit/tree'
import { runOf, runText } from './runText.js'

const series = sp500()
/** Rows of training, and the first of each part that is not trained on. */
const [trainEnd, checkStart, testStart, last] = [3062, 3063, 4084, series.close.length - 1] as const
const scaler = fitScaler(tradingFeatures(series), { to: trainEnd + 1 })

/** The parts of the series: what is trained on, and what is not. */
export const parts = [
  { name: 'trained on', start: 109, end: trainEnd },
  { name: 'next', start: checkStart, end: testStart - 1 },
  { name: 'last', start: testStart, end: last },
] as const

/** Batches of 2,048 decisions whose gradients are added up in eight parts. */
export const settings: PpoSettings = {
  ...presets.cleanrl,
  ...{ environments: 16, rollout: 128, minibatch: 2048, microBatch: 256, learningRate: 1e-3 },
  truncation: 'bootstrap',
}

/** An automaton of 60 cells of bfloat16 arithmetic and a float32 state. */
export const agentOptions = {
  ...{ inputs: 20, actions: 3, channels: 12, hidden: 16, steps: 6 },
  dtype: 'bfloat16',
  stateDtype: 'float32',
} as const

/** What came of one seed: on each part, and the hash of all parameters' bits. */
export interface SeedResult {
  readonly seed: number
  readonly hash: string
  readonly outcomes: readonly Outcome[]
}

/** Told how far a run is. */
export type OnUpdate = (seed: number, update: number, updates: number) => void

/** Trains from a seed, its state kept in the folder after each update, and plays every part. Stopped at any moment it goes on. */
export function trainedSeed(seed: number, steps: number, folder: string, onUpdate: OnUpdate): SeedResult {
  const done = join(folder, `seed-${seed}-of-${steps}.json`)
  if (existsSync(done)) return JSON.parse(readFileSync(done, 'utf8')) as SeedResult
  const kept = join(folder, `seed-${seed}-of-${steps}.state.json`)
  const environment = tradingEnv({ series, end: trainEnd, scaler, maxSteps: 252 })
  const run = ppo({ environment, network: ncaAgent(agentOptions), settings, steps })
  type State = PpoState<NcaAgentParams, ReturnType<typeof environment.reset>>
  let state: State = existsSync(kept) ? (runOf(readFileSync(kept, 'utf8')) as State) : run.init(key(seed))
  while (state.update < run.updates) {
    state = run.update(state)[0]
    writeFileAtomic(kept, new TextEncoder().encode(runText(state)))
    onUpdate(seed, state.update, run.updates)
  }
  const { params } = state.point
  const outcomes = parts.map(({ start, end }) => {
    const env = tradingEnv({ series, start, end, scaler, ruin: 0 })
    const from = env.reset(key(0))
    const seen = Array.from({ length: end - start }, (_, i) => env.observe({ ...from, row: start + i }))
    const observations = new Float32Array(seen.length * 1200)
    seen.forEach((rows, i) => {
      observations.set(rows, i * 1200)
    })
    const actions = run.act(params, observations)
    return play(env, (decision) => actions[decision]!)
  })
  const result = { seed, hash: hashOf(params), outcomes }
  writeFileAtomic(done, new TextEncoder().encode(`${JSON.stringify(result)}\n`))
  rmSync(kept, { force: true })
  return result
}

function hashOf(params: NcaAgentParams): string {
  const hash = createHash('sha256')
  for (const { path, leaf } of pathsOf({ ...params })) {
    const bits = leaf.toBits()
    hash.update(path).update(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength))
  }
  return hash.digest('hex')
}

/** A line of the table. */
export interface Line {
  readonly part: string
  readonly policy: string
  readonly equity: number
  readonly low?: number
  readonly high?: number
  readonly drawdown?: number
  readonly turnover?: number
}

/** The agents over all seeds beside what knows nothing, and what knows everything. */
export function tableOf(results: readonly SeedResult[]): readonly Line[] {
  return parts.flatMap(({ name: part, start, end }, i): readonly Line[] => {
    const agents = results.map(({ outcomes }) => outcomes[i]!)
    const turnover = mean(agents.map((one) => one.turnover / one.decisions))
    const { flat, buyAndHold, random, knowsTomorrow } = baselines(series, {
      ...{ start, end },
      turnover: Math.min(0.5, Math.max(turnover, 1e-6)),
    })
    const sorted = agents.map(({ equity }) => equity).sort((a, b) => a - b)
    return [
      {
        part,
        policy: `automata, ${results.length} seeds`,
        equity: at(sorted, 0.5),
        low: at(sorted, 0.1),
        high: at(sorted, 0.9),
        drawdown: mean(agents.map((one) => one.drawdown)),
        turnover: mean(agents.map((one) => one.turnover)),
      },
      {
        part,
        policy: 'random, as often',
        equity: random.median,
        low: random.p10,
        high: random.p90,
        turnover: random.turnover,
      },
      { part, policy: 'buy and hold', ...lineOf(buyAndHold) },
      { part, policy: 'always out', ...lineOf(flat) },
      { part, policy: 'knows tomorrow', ...lineOf(knowsTomorrow) },
    ]
  })
}

const lineOf = ({ equity, drawdown, turnover }: Outcome) => ({ equity, drawdown, turnover })

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))]!
