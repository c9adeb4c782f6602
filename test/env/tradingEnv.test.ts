import { sp500 } from 'tpu-toolkit/data'
import { baselines, fitScaler, leakageReport, tradingEnv, tradingFeatures } from 'tpu-toolkit/env'
import { key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { keys, numbers, pricesOf } from './series.js'

interface Episode {
  readonly name: string
  readonly series: string
  readonly start: number
  readonly steps: number
  readonly fee: number
  readonly short: boolean
  readonly ruin: number
}

const episodes = keys.facts['episodes'] as readonly Episode[]

describe('tradingEnv', () => {
  it.each(episodes)(
    '$name: every column of the key, 1e-12, the differential Sharpe ratio 1e-9',
    (episode) => {
      const { start, fee, short, ruin, name } = episode
      const env = tradingEnv({ series: pricesOf(episode.series), start, fee, short, ruin })
      const expected = (column: string) => numbers(`${name}_${column}`)
      const [equity, position, turnover] = [expected('equity'), expected('position'), expected('turnover')]
      const [log, simple, sharpe] = [
        expected('logReward'),
        expected('simpleReward'),
        expected('sharpeReward'),
      ]
      let state = env.reset(key(0))
      for (const [i, action] of keys.u8(`${name}_actions`).entries()) {
        const next = env.step(state, action)
        state = next.state
        const off = [
          state.equity - equity[i]!,
          next.turnover - turnover[i]!,
          next.rewards.log - log[i]!,
          next.rewards.simple - simple[i]!,
        ]
        expect(Math.max(...off.map(Math.abs))).toBeLessThanOrEqual(1e-12)
        expect(Math.abs(next.rewards.sharpe - sharpe[i]!)).toBeLessThanOrEqual(
          1e-9 * Math.max(1, Math.abs(sharpe[i]!)),
        )
        expect(state.position).toBe(position[i])
        expect(Number(next.terminated)).toBe(keys.u8(`${name}_terminated`)[i])
        expect(Number(next.truncated)).toBe(keys.u8(`${name}_truncated`)[i])
      }
      expect(state.steps).toBe(episode.steps)
    },
  )

  it('log rewards add up to the log of equity', () => {
    const env = tradingEnv({ series: pricesOf('walk') })
    let state = env.reset(key(0))
    let sum = 0
    for (const action of keys.u8('random_actions')) {
      const next = env.step(state, action)
      state = next.state
      sum += next.reward
    }
    expect(Math.abs(sum - Math.log(state.equity))).toBeLessThanOrEqual(150 * 2 ** -53)
  })

  it('an observation is the last 60 rows of scaled features, the newest last', () => {
    const series = pricesOf('walk')
    const env = tradingEnv({ series })
    const observed = env.observe(env.reset(key(0)))
    expect(observed.length).toBe(60 * 20)
    const { values } = tradingFeatures(series)
    const { mean, std } = env.scaler
    expect(observed[59 * 20 + 3]).toBe(Math.fround((values[59 * 20 + 3]! - mean[3]!) / std[3]!))
  })

  it('fits its default scaler on the rows up to start alone', () => {
    const series = pricesOf('walk')
    const features = tradingFeatures(series)
    for (const start of [109, 150]) {
      const { mean, std } = tradingEnv({ series, start }).scaler
      const { apply: _, ...known } = fitScaler(features, { to: start + 1 })
      expect({ mean, std }).toEqual(known)
    }
  })

  it('with maxSteps starts in rows drawn from the key, and is cut off', () => {
    const env = tradingEnv({ series: pricesOf('walk'), maxSteps: 20 })
    const rows = Array.from({ length: 20 }, (_, i) => env.reset(key(i)).row)
    expect(new Set(rows).size).toBeGreaterThan(10)
    expect(Math.min(...rows)).toBeGreaterThanOrEqual(109)
    expect(Math.max(...rows)).toBeLessThanOrEqual(239)
    let state = env.reset(key(3))
    for (let i = 0; i < 19; i++) state = env.step(state, 1).state
    expect(env.step(state, 1).truncated).toBe(true)
    expect(() => env.step(env.step(state, 1).state, 1)).toThrow('the episode is over')
  })

  it('refuses what is no action, the last row, and options that make no episode', () => {
    const env = tradingEnv({ series: pricesOf('walk') })
    const state = env.reset(key(0))
    expect(() => env.step(state, 3)).toThrow('the action is not a whole number from 0 to 2 [3]')
    expect(() => env.step({ ...state, row: 259 }, 0)).toThrow(
      'the row is not a whole number from 109 to 258 [259]',
    )
    expect(() => tradingEnv({ series: pricesOf('walk'), start: 108 })).toThrow('[108]')
    expect(() => tradingEnv({ series: pricesOf('walk'), reward: 'sharp' as 'sharpe' })).toThrow(
      'did you mean sharpe',
    )
    expect(() => tradingEnv({ series: pricesOf('walk'), fees: 0 } as never)).toThrow('did you mean fee')
  })
})

describe('leakageReport', () => {
  it('finds nothing in tradingFeatures, on the key and on the index', () => {
    expect(leakageReport(pricesOf('walk')).checks.filter((check) => !check.passed)).toEqual([])
    const { dates: _, ...index } = sp500()
    const year = Object.fromEntries(
      Object.entries(index).map(([name, column]) => [name, column.slice(0, 400)]),
    )
    expect(leakageReport({ ...index, ...year }, { cuts: 2 }).passed).toBe(true)
  })

  it('finds a feature that reads the next row', () => {
    const features = (series: ReturnType<typeof pricesOf>) => {
      const made = tradingFeatures(series)
      const rows = made.values.length / 20
      const values = made.values.map((x, i) => (i % 20 === 0 && i / 20 + 1 < rows ? made.values[i + 20]! : x))
      return { ...made, values }
    }
    const { passed, checks } = leakageReport(pricesOf('walk'), { features })
    expect(passed).toBe(false)
    expect(checks[0]!.found).toContain('features at row 156')
  })

  const first =
    (change: (x: number, row: number, next: number, rows: number) => number) =>
    (series: ReturnType<typeof pricesOf>) => {
      const made = tradingFeatures(series)
      const rows = made.values.length / 20
      const values = made.values.map((x, i) =>
        i % 20 === 5 ? change(x, Math.floor(i / 20), made.values[i + 20] ?? x, rows) : x,
      )
      return { ...made, values }
    }
  const hidden = {
    'the next row on every 97th row': first((x, row, next) => (row % 97 === 13 ? next : x)),
    'the length of the series': first((_, row, __, rows) => row / rows),
  }
  it.each(Object.entries(hidden))('finds a feature that reads %s at the default', (_, features) => {
    const { open, high, low, close, volume } = sp500()
    const year = { open, high, low, close, volume }
    for (const name of Object.keys(year) as (keyof typeof year)[]) year[name] = year[name].slice(0, 260)
    const { passed, checks } = leakageReport(year, { features })
    expect(passed).toBe(false)
    expect(checks[4]!.found).toContain('features at row')
    expect(checks[4]!.found.length).toBeLessThan(250)
  })

  it('finds a scaler fitted on all rows', () => {
    const scaler = (features: ReturnType<typeof tradingFeatures>) => {
      const mean = new Float64Array(20)
      for (const [i, x] of features.values.entries()) mean[i % 20]! += x
      return {
        mean,
        std: new Float64Array(20).fill(1),
        apply: (rows: Float64Array) => Float32Array.from(rows),
      }
    }
    expect(leakageReport(pricesOf('walk'), { scaler }).checks[0]!.found).toContain('scaler')
  })

  it('says that a policy does not listen', () => {
    expect(leakageReport(pricesOf('walk'), { policy: () => 0 }).checks[2]!.passed).toBe(false)
  })
})

describe('baselines', () => {
  // Measured by another program: the index from the first decision on, fee 0.001.
  const last = sp500().close.length - 1
  const parts = [
    { name: 'all days', start: 109, end: last, hold: 1.965, drawdown: 0.57 },
    { name: 'the first 60 %', start: 109, end: 109 + 2953, hold: 0.918, drawdown: 0.57 },
    { name: 'the last 20 %', start: last - 1020, end: last, hold: 1.391, drawdown: 0.34 },
  ]
  it.each(parts)(
    '$name: buy and hold and its fall are as measured elsewhere',
    ({ start, end, hold, drawdown }) => {
      const found = baselines(sp500(), { start, end, draws: 5 })
      expect(found.buyAndHold.decisions).toBe(end - start)
      expect(found.flat).toMatchObject({ equity: 1, drawdown: 0, turnover: 0 })
      expect(found.buyAndHold.equity.toFixed(3)).toBe(String(hold))
      expect(found.buyAndHold.drawdown).toBeCloseTo(drawdown, 2)
    },
  )

  const series = pricesOf('walk')
  it.each([false, true])('with short %s no sequence of actions comes to more than hindsight', (short) => {
    const [start, end] = [109, 117]
    const env = tradingEnv({ series, start, end, short, ruin: 0 })
    let best = 0
    for (let code = 0; code < 3 ** 8; code++) {
      let [state, rest] = [env.reset(key(0)), code]
      for (let i = 0; i < 8; i++) {
        state = env.step(state, rest % 3).state
        rest = Math.floor(rest / 3)
      }
      best = Math.max(best, state.equity)
    }
    const found = baselines(series, { start, end, short, draws: 1 })
    // Products of 24 numbers, in one order there and another here.
    expect(Math.abs(found.knowsTomorrow.equity / best - 1)).toBeLessThanOrEqual(48 * 2 ** -53)
  })

  it('a baseline ends at ruin where one is given, as an episode', () => {
    const fall = Float64Array.from({ length: 200 }, (_, i) => 100 * 0.98 ** i)
    const falling = { open: fall, high: fall, low: fall, close: fall, volume: fall.map(() => 1) }
    const ruined = baselines(falling, { ruin: 0.5, draws: 1 }).buyAndHold
    expect(ruined.equity).toBeLessThanOrEqual(0.5)
    expect(ruined.equity).toBeGreaterThan(0.49 - 0.001)
    expect(baselines(falling, { draws: 1 }).buyAndHold.decisions).toBeGreaterThan(ruined.decisions)
  })

  it('random policies trade as often as they are told', () => {
    const often = baselines(series, { draws: 40, turnover: 0.4 }).random.turnover / 150
    const seldom = baselines(series, { draws: 40, turnover: 0.05 }).random.turnover / 150
    expect(often).toBeGreaterThan(0.33)
    expect(often).toBeLessThan(0.47)
    expect(seldom).toBeLessThan(0.07)
  })
})
