import {
  checkFunction,
  checkInteger,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type Key, key, permutation } from '../../tensors/random/index.js'
import { fitScaler, type Scaler } from './fitScaler.js'
import { checkSeries, type PriceSeries, seriesColumns } from './series.js'
import { type TradingState, tradingEnv } from './tradingEnv.js'
import { type Features, tradingFeatures } from './tradingFeatures.js'

/** Options of `leakageReport`. */
export interface LeakageOptions {
  /** The features to examine. Default `tradingFeatures`. */
  readonly features?: (series: PriceSeries) => Features
  /** The scaler to examine. Default: `fitScaler` on the rows before `trainedTo`. */
  readonly scaler?: (features: Features, trainedTo: number) => Scaler
  /** The policy to examine: an action for an observation. Default: buys where the last return is above its mean. */
  readonly policy?: (observation: Float32Array) => number
  /** The row before which training ends. Default: three fifths of the rows. */
  readonly trainedTo?: number
  /** Rows of an observation. Default 60. */
  readonly window?: number
  /**
   * Rows after which the series is cut off: half of them one after the other, so that a feature that reads ahead at every
   * n-th row is met, the others spread to the end. After 5 of those, or all if there are fewer, the future is changed too. Default 200.
   */
  readonly cuts?: number
  /** Default `random.key(0)`. */
  readonly key?: Key
}

/** One question, and what was found. */
export interface LeakageCheck {
  readonly name: string
  readonly passed: boolean
  readonly found: string
}

/** What the checks found. */
export interface LeakageReport {
  readonly passed: boolean
  readonly checks: readonly LeakageCheck[]
}

const leakageNames: OptionTable<LeakageOptions> = {
  features: 'optional',
  scaler: 'optional',
  policy: 'optional',
  trainedTo: 'optional',
  window: 'optional',
  cuts: 'optional',
  key: 'optional',
}

/**
 * Whether anything up to a row depends on what comes after it, bit for bit: features, scaler, observation and action are
 * computed again with every later price changed, and with the later rows in another order, features and scaler also without
 * the later rows. Besides: features one row early have to change the rewards, and the last row has to refuse a decision.
 *
 * Throws    as `tradingEnv`.
 * Cost      the features of the series cuts + 14 times.
 *
 * @example leakageReport(data.sp500(), { cuts: 5 }).passed // true
 */
export function leakageReport(series: PriceSeries, options: LeakageOptions = noOptions): LeakageReport {
  checkSeries('leakageReport', series)
  checkOptions('leakageReport', options, leakageNames)
  const rows = series.close.length
  const { features: make = tradingFeatures, window = 60, cuts = 200, key: given = key(0) } = options
  const { scaler: fitted = (features, to) => fitScaler(features, { to }), policy = followsLastReturn } =
    options
  const { trainedTo = Math.floor(0.6 * rows) } = options
  for (const [name, f] of Object.entries({ features: make, scaler: fitted, policy })) {
    checkFunction('leakageReport', name, f)
  }
  checkInteger('leakageReport', 'cuts', cuts, 1)
  checkInteger('leakageReport', 'trainedTo', trainedTo, 1, rows - 2)

  /** Everything that is known at the close of a row, of a series. */
  const knownAt = (of: PriceSeries, t: number, features = make(of)): Known => {
    const scaler = fitted(features, trainedTo)
    const env = tradingEnv({ series: of, features: () => features, scaler, window })
    const width = features.names.length
    const observation = env.observe(stateAt(t))
    return {
      features: features.values.slice(0, (t - features.firstRow + 1) * width),
      scaler: Float64Array.of(...scaler.mean, ...scaler.std),
      observation,
      action: Float64Array.of(policy(observation)),
    }
  }
  const whole = make(series)
  const first = Math.max(trainedTo, whole.firstRow + window - 1)
  const spread = (count: number): number[] =>
    Array.from({ length: count }, (_, i) => first + Math.floor((i * (rows - 2 - first)) / count))
  const moved = (change: (t: number) => PriceSeries): string[] =>
    spread(Math.min(cuts, 5)).flatMap((t) => {
      const [was, is] = [knownAt(series, t, whole), knownAt(change(t), t)]
      return parts.filter((part) => !sameBits(was[part], is[part])).map((part) => `${part} at row ${t}`)
    })
  const scalerOf = (features: Features): Float64Array => {
    const { mean, std } = fitted(features, trainedTo)
    return Float64Array.of(...mean, ...std)
  }
  const consecutive = Array.from(
    { length: Math.min(Math.ceil(cuts / 2), rows - 1 - first) },
    (_, i) => first + i,
  )
  const cut = [...new Set([...consecutive, ...spread(Math.floor(cuts / 2))])].flatMap((t) => {
    const part = make(withColumns(series, (column) => column.slice(0, t + 1)))
    const known = whole.values.slice(0, (t - whole.firstRow + 1) * whole.names.length)
    return [
      ...(sameBits(known, part.values) ? [] : [`features at row ${t}`]),
      ...(sameBits(scalerOf(whole), scalerOf(part)) ? [] : [`scaler at row ${t}`]),
    ]
  })
  const checks = [
    found(
      'prices after a row change nothing up to it',
      moved((t) => changedAfter(series, t)),
    ),
    found(
      'the order of later rows changes nothing',
      moved((t) => permutedAfter(series, t, given)),
    ),
    earlyFeatures(series, make, fitted, trainedTo, window, policy),
    lastRow(series, make, window),
    found('without the rows after a row everything up to it is the same', cut),
  ]
  return { passed: checks.every(({ passed }) => passed), checks }
}

interface Known {
  readonly features: Float64Array
  readonly scaler: Float64Array
  readonly observation: Float32Array
  readonly action: Float64Array
}

const parts = ['features', 'scaler', 'observation', 'action'] as const

const found = (name: string, moved: readonly string[]): LeakageCheck => ({
  name,
  passed: moved.length === 0,
  found:
    moved.length === 0
      ? 'the same bits'
      : `moved: ${moved.slice(0, 10).join(', ')}${moved.length > 10 ? ` and ${moved.length - 10} more` : ''}`,
})

const stateAt = (row: number): TradingState => ({
  row,
  position: 0,
  equity: 1,
  turnover: 0,
  steps: 0,
  sharpe: [0, 0],
})

const followsLastReturn = (observation: Float32Array): number =>
  observation[observation.length - 20]! > 0 ? 0 : 2

function sameBits(a: Float64Array | Float32Array, b: Float64Array | Float32Array): boolean {
  return a.length === b.length && a.every((x, i) => Object.is(x, b[i]))
}

/** The series with every row after t multiplied, prices by one number and volumes by another. */
function changedAfter(series: PriceSeries, t: number): PriceSeries {
  return withColumns(series, (column, name) =>
    column.map((x, row) => (row <= t ? x : x * (name === 'volume' ? 2.5 : 1.375))),
  )
}

function permutedAfter(series: PriceSeries, t: number, given: Key): PriceSeries {
  const order = permutation(given, series.close.length - t - 1)
  return withColumns(series, (column) =>
    column.map((x, row) => (row <= t ? x : column[t + 1 + order[row - t - 1]!]!)),
  )
}

function withColumns(
  series: PriceSeries,
  change: (column: Float64Array, name: (typeof seriesColumns)[number]) => Float64Array,
): PriceSeries {
  const [open, high, low, close, volume] = seriesColumns.map((name) =>
    change(Float64Array.from(series[name]), name),
  )
  return { open: open!, high: high!, low: low!, close: close!, volume: volume! }
}

/** Rewards of the policy with the features of each row, and with those of the row after it: they differ where it listens. */
function earlyFeatures(
  series: PriceSeries,
  make: NonNullable<LeakageOptions['features']>,
  fitted: NonNullable<LeakageOptions['scaler']>,
  trainedTo: number,
  window: number,
  policy: NonNullable<LeakageOptions['policy']>,
): LeakageCheck {
  const features = make(series)
  const scaler = fitted(features, trainedTo)
  const width = features.names.length
  const early = { ...features, values: features.values.slice(width) }
  const end = series.close.length - 2
  const equity = (of: Features): number => {
    const env = tradingEnv({ series, features: () => of, scaler, window, end, fee: 0 })
    let state = stateAt(env.rows[0])
    while (state.row < end && state.equity > 0.5) state = env.step(state, policy(env.observe(state))).state
    return state.equity
  }
  const [asTheyAre, oneRowEarly] = [equity(features), equity(early)]
  return {
    name: 'features one row early change the rewards',
    passed: asTheyAre !== oneRowEarly,
    found: asTheyAre === oneRowEarly ? 'the same rewards: the policy does not listen' : 'other rewards',
  }
}

function lastRow(
  series: PriceSeries,
  make: NonNullable<LeakageOptions['features']>,
  window: number,
): LeakageCheck {
  const env = tradingEnv({ series, features: make, window })
  const name = 'the last row refuses a decision'
  try {
    env.step(stateAt(series.close.length - 1), 0)
  } catch (error) {
    if (error instanceof RangeError) return { name, passed: true, found: 'refused' }
    throw error
  }
  return { name, passed: false, found: 'took one' }
}
