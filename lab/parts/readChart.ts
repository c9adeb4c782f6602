import { shortNumber } from './axisTicks.js'
import type { ChartSeries } from './drawChart.js'

/** The x of the point that lies nearest; NaN where there is none. */
export function nearestX(series: readonly ChartSeries[], wanted: number, log = false): number {
  let best = Number.NaN
  let least = Infinity
  const target = log ? Math.log(wanted) : wanted
  for (const { x } of series) {
    for (let i = 0; i < x.length; i++) {
      const far = Math.abs((log ? Math.log(x[i]!) : x[i]!) - target)
      if (far < least) [least, best] = [far, x[i]!]
    }
  }
  return best
}

/** The next x of any series to the right of one, or to the left; the same where it is the last. */
export function nextX(series: readonly ChartSeries[], from: number, way: 1 | -1): number {
  let best = way * Infinity
  for (const { x } of series) {
    for (let i = 0; i < x.length; i++) if (way * x[i]! > way * from && way * x[i]! < way * best) best = x[i]!
  }
  return Number.isFinite(best) ? best : from
}

/** The value of every series at an x: of its last point there; undefined where it has none. */
export function valuesAt(series: readonly ChartSeries[], at: number): readonly (number | undefined)[] {
  return series.map(({ x, y }) => {
    for (let i = x.length - 1; i >= 0; i--) if (x[i] === at) return y[i]
    return undefined
  })
}

/** The values at an x in a sentence: `step 2,745: naive 3.2, beside it 1.01`. */
export function valuesText(series: readonly ChartSeries[], xTitle: string, at: number): string {
  const values = valuesAt(series, at).flatMap((value, i) =>
    value === undefined ? [] : [`${series[i]!.name} ${shortNumber(value)}`],
  )
  return `${xTitle} ${shortNumber(at)}: ${values.join(', ')}`
}

/** All points between two x as a table whose columns are separated by tabs, as spreadsheets take it. */
export function pointsTable(
  series: readonly ChartSeries[],
  xTitle: string,
  [first, last]: readonly [number, number] = [-Infinity, Infinity],
): string {
  const rows = new Map<number, (number | undefined)[]>()
  series.forEach(({ x, y }, which) => {
    for (let i = 0; i < x.length; i++) {
      if (x[i]! < first || x[i]! > last) continue
      const row = rows.get(x[i]!) ?? series.map(() => undefined)
      row[which] = y[i]!
      rows.set(x[i]!, row)
    }
  })
  const lines = [...rows].sort(([a], [b]) => a - b).map(([x, values]) => [x, ...values].join('\t'))
  return [[xTitle, ...series.map(({ name }) => name)].join('\t'), ...lines].join('\n')
}
