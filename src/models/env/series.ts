import { checkArray, checkRecord, shown } from '../../base/options/index.js'

/** Prices of one asset, a bar a row, oldest first. */
export interface PriceSeries {
  readonly open: ArrayLike<number>
  readonly high: ArrayLike<number>
  readonly low: ArrayLike<number>
  readonly close: ArrayLike<number>
  readonly volume: ArrayLike<number>
  /** One text a row, only to be shown. */
  readonly dates?: readonly string[]
}

export const seriesColumns = ['open', 'high', 'low', 'close', 'volume'] as const

/**
 * Throws a TypeError where the series is none, a RangeError for columns of unlike lengths and for the first row with a gap
 * (NaN), a number of 0 or less, or prices outside of its low and high.
 */
export function checkSeries(op: string, series: PriceSeries): void {
  checkRecord(op, 'series', series, seriesColumns)
  const rows = series.close.length
  for (const name of seriesColumns) {
    checkArray(op, `series.${name}`, series[name])
    if (series[name].length !== rows) {
      throw new RangeError(
        `${op}: series has columns of unlike lengths [${name} ${series[name].length}, close ${rows}]`,
      )
    }
  }
  for (let row = 0; row < rows; row++) checkRow(op, series, row)
}

function checkRow(op: string, series: PriceSeries, row: number): void {
  for (const name of seriesColumns) {
    const value: unknown = series[name][row]
    if (!(typeof value === 'number' && value > 0 && value < Infinity)) {
      throw new RangeError(`${op}: row ${row} has a gap, ${name} is no number above 0 [${shown(value)}]`)
    }
  }
  const [open, high, low, close] = seriesColumns.map((name) => series[name][row]!) as Bar
  if (low > Math.min(open, close) || high < Math.max(open, close)) {
    throw new RangeError(
      `${op}: row ${row} has prices outside of its low and high [${open}, ${high}, ${low}, ${close}]`,
    )
  }
}

type Bar = [open: number, high: number, low: number, close: number]
