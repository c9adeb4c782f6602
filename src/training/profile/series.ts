import type { Sample } from '../monitor/index.js'

/** A value and the step that it is of. */
export interface SeriesPoint {
  readonly step: number
  readonly time: number
  readonly value: number
}

/** The values of a metric, where it was measured. */
export function seriesOf(samples: readonly Sample[], name: string): readonly SeriesPoint[] {
  return samples.flatMap(({ step, time, values }) => {
    const value = values[name]
    return value === undefined ? [] : [{ step, time, value }]
  })
}

/** By how much a counter grew; one that fell began anew, with a run that was begun again. */
export function growthOf(points: readonly SeriesPoint[]): number {
  return points.reduce((sum, { value }, i) => {
    const before = points[i - 1]?.value ?? 0
    return sum + (value >= before ? value - before : value)
  }, 0)
}

/** The middle of some numbers; NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** The later half of some points: how a run stands now, not how it began. */
export function laterHalf(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  return points.slice(Math.floor(points.length / 2))
}
