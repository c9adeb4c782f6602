import { readable } from '../../base/text/index.js'
import type { SweepResult, TrialRow } from '../../experiments/sweep/index.js'
import type { Axis, PlotPoint } from '../../report/index.js'
import { paramsText, variedParams } from './searchText.js'

/** A sweep's rows seen by their metric. */
export interface MetricView {
  readonly metric: string
  readonly goal: 'min' | 'max'
  readonly rows: readonly TrialRow[]
  /** Each configuration as far as it was run, the best first. */
  readonly configurations: readonly TrialRow[]
  readonly varied: readonly string[]
  /** NaN for what is not finite. */
  readonly value: (one: TrialRow) => number
  /** A point that says what it is; what is far off or not finite is infinite: a cross at the top. */
  readonly point: (x: number, one: TrialRow) => PlotPoint
  /** The finite values of these rows, the best first. */
  readonly sorted: (rows: readonly TrialRow[]) => number[]
  /** The axis of the metric. */
  readonly axis: Axis
}

/** The rows of a sweep that has a metric. */
export function metricView({ rows, ranked }: SweepResult, metric: string, goal: 'min' | 'max'): MetricView {
  const varied = variedParams(rows)
  const value = ({ row }: TrialRow): number => {
    const found = row[metric]
    return typeof found === 'number' ? found : Number.NaN
  }
  const sorted = (some: readonly TrialRow[]): number[] => {
    const finite = some.map(value).filter(Number.isFinite)
    return finite.sort((a, b) => (goal === 'min' ? a - b : b - a))
  }
  const near = nearOnes(sorted(rows))
  return {
    metric,
    goal,
    rows,
    configurations: furthest(ranked),
    varied,
    value,
    point: (x, one) => {
      const y = value(one)
      const shown = Number.isNaN(y) ? 'not finite' : readable(y, 6)
      const far = one.trial.steps === undefined ? '' : `, to step ${one.trial.steps}`
      const title = `${paramsText(one, varied)}${far}: ${metric} ${shown}`
      return { x, y: near.includes(y) ? y : Number.POSITIVE_INFINITY, title }
    },
    sorted,
    axis: axisOf(metric, near),
  }
}

/** Logarithmic where positive values reach over more than fifty to one. */
export function axisOf(label: string, values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return values.length > 1 && least > 0 && most / least > 50 ? { label, scale: 'log10' } : { label }
}

/** Without those that got away: twenty times as far from the best as five sixths are. */
function nearOnes(sorted: readonly number[]): number[] {
  const best = sorted[0] ?? 0
  const reach = Math.abs((sorted[Math.floor((5 * (sorted.length - 1)) / 6)] ?? 0) - best)
  return sorted.filter((one) => Math.abs(one - best) <= 20 * reach)
}

function furthest(ranked: readonly TrialRow[]): TrialRow[] {
  const found = new Map<string, TrialRow>()
  for (const one of ranked) {
    const key = JSON.stringify(one.trial.params)
    if (!found.has(key)) found.set(key, one)
  }
  return [...found.values()]
}
