import { checkSeries, type PriceSeries } from './series.js'

/** The names of the features of `tradingFeatures`, in their order. */
export const featureNames = [
  'return1',
  'return5',
  'return20',
  'high',
  'low',
  'body',
  'gap',
  'closeLocation',
  'volatility5',
  'volatility20',
  'sma10',
  'sma50',
  'ema12',
  'macd',
  'macdSignalGap',
  'rsi14',
  'bollinger20',
  'atr14',
  'volume20',
  'drawdown50',
] as const

/** Features of the rows of a series, from the first row that has all of them. */
export interface Features {
  readonly names: readonly string[]
  /** The row of the series that the first row of `values` belongs to. */
  readonly firstRow: number
  /** Rows of one number for each name. */
  readonly values: Float64Array
}

const warmup = 50

/**
 * Twenty features of every row of a price series from row 50. Row t is computed of rows 0 to t and of nothing later.
 *
 * Shape     values [rows - 50, 20], flat.
 * Dtype     float64.
 * Rounding  every operation once. Means and deviations over a window anew in each row, in two passes: running sums drift.
 * Special   bollinger20 and volume20 are 0 where all twenty are equal, decided by max = min: the rounded mean of twenty equal
 *           numbers is often not the number, and their deviation not 0. closeLocation is 0 where high = low, rsi14 where
 *           nothing moved in fourteen rows and since.
 * Throws    as the series is checked: gaps, prices of 0, columns of unlike lengths; RangeError for fewer than 51 rows.
 * Cost      about 250 operations a row.
 * Source    the usual definitions; windows are of the last rows including the present one, deviations divide by n
 *
 * @example tradingFeatures({ open: [1], high: [1], low: [1], close: [1], volume: [1] }) // throws tradingFeatures: fewer rows than the longest window has [1 of 51]
 */
export function tradingFeatures(series: PriceSeries): Features {
  checkSeries('tradingFeatures', series)
  const rows = series.close.length
  if (rows <= warmup) {
    throw new RangeError(`tradingFeatures: fewer rows than the longest window has [${rows} of ${warmup + 1}]`)
  }
  const columns = featureColumns(series)
  const width = featureNames.length
  const values = new Float64Array((rows - warmup) * width)
  for (let t = warmup; t < rows; t++) {
    for (let j = 0; j < width; j++) values[(t - warmup) * width + j] = columns[featureNames[j]!](t)
  }
  return { names: featureNames, firstRow: warmup, values }
}

type FeatureColumns = Readonly<Record<(typeof featureNames)[number], (t: number) => number>>

/** What each feature is in row t. */
function featureColumns({ open: O, high: H, low: L, close: C, volume: V }: PriceSeries): FeatureColumns {
  const rows = C.length
  const along = (f: (t: number) => number): Float64Array =>
    Float64Array.from({ length: rows }, (_, t) => f(t))
  const change = (t: number, k: number): number => Math.log(C[t]! / C[t - k]!)
  const returns = along((t) => (t === 0 ? 0 : change(t, 1)))
  const logVolume = along((t) => Math.log(V[t]!))
  const fast = movingAverage(C, 12)
  const slow = movingAverage(C, 26)
  const macd = along((t) => fast[t]! - slow[t]!)
  const signal = movingAverage(macd, 9)
  const rises = wilder(along((t) => (t === 0 ? 0 : Math.max(C[t]! - C[t - 1]!, 0))))
  const falls = wilder(along((t) => (t === 0 ? 0 : Math.max(C[t - 1]! - C[t]!, 0))))
  const trueRange = (t: number): number =>
    Math.max(H[t]! - L[t]!, Math.abs(H[t]! - C[t - 1]!), Math.abs(L[t]! - C[t - 1]!))
  const range = wilder(along((t) => (t === 0 ? 0 : trueRange(t))))
  return {
    return1: (t) => change(t, 1),
    return5: (t) => change(t, 5),
    return20: (t) => change(t, 20),
    high: (t) => Math.log(H[t]! / O[t]!),
    low: (t) => Math.log(L[t]! / O[t]!),
    body: (t) => Math.log(C[t]! / O[t]!),
    gap: (t) => Math.log(O[t]! / C[t - 1]!),
    closeLocation: (t) => (H[t]! === L[t]! ? 0 : (2 * C[t]! - H[t]! - L[t]!) / (H[t]! - L[t]!)),
    volatility5: (t) => deviation(returns, t, 5),
    volatility20: (t) => deviation(returns, t, 20),
    sma10: (t) => C[t]! / mean(C, t, 10) - 1,
    sma50: (t) => C[t]! / mean(C, t, 50) - 1,
    ema12: (t) => C[t]! / fast[t]! - 1,
    macd: (t) => macd[t]! / C[t]!,
    macdSignalGap: (t) => (macd[t]! - signal[t]!) / C[t]!,
    rsi14: (t) => (rises[t]! + falls[t]! === 0 ? 0 : rises[t]! / (rises[t]! + falls[t]!) - 0.5),
    bollinger20: (t) => standing(C, t, 20) / 2,
    atr14: (t) => range[t]! / C[t]!,
    volume20: (t) => standing(logVolume, t, 20),
    drawdown50: (t) => C[t]! / extremes(C, t, 50)[1] - 1,
  }
}

function mean(x: ArrayLike<number>, t: number, m: number): number {
  let sum = 0
  for (let i = t - m + 1; i <= t; i++) sum += x[i]!
  return sum / m
}

function deviation(x: ArrayLike<number>, t: number, m: number): number {
  const centre = mean(x, t, m)
  let sum = 0
  for (let i = t - m + 1; i <= t; i++) sum += (x[i]! - centre) ** 2
  return Math.sqrt(sum / m)
}

function extremes(x: ArrayLike<number>, t: number, m: number): readonly [least: number, greatest: number] {
  let [least, greatest] = [x[t]!, x[t]!]
  for (let i = t - m + 1; i < t; i++) {
    least = Math.min(least, x[i]!)
    greatest = Math.max(greatest, x[i]!)
  }
  return [least, greatest]
}

/** Deviations from the window's mean; 0 in a window of equals. */
function standing(x: ArrayLike<number>, t: number, m: number): number {
  const [least, greatest] = extremes(x, t, m)
  return least === greatest ? 0 : (x[t]! - mean(x, t, m)) / deviation(x, t, m)
}

/** The exponential mean over m rows, from the first row on. */
function movingAverage(x: ArrayLike<number>, m: number): Float64Array {
  const share = 2 / (m + 1)
  const out = new Float64Array(x.length)
  let average = x[0]!
  for (let t = 0; t < x.length; t++) {
    average += share * (x[t]! - average)
    out[t] = average
  }
  return out
}

/** Wilder's mean: of rows 1 to 14 in row 14, afterwards (13 of the last + 1 of the new) / 14. */
function wilder(x: Float64Array): Float64Array {
  const out = new Float64Array(x.length)
  if (x.length <= 14) return out
  let average = mean(x, 14, 14)
  out[14] = average
  for (let t = 15; t < x.length; t++) {
    average = (13 * average + x[t]!) / 14
    out[t] = average
  }
  return out
}
