import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../base/options/index.js'
import { sparkline } from '../base/text/index.js'
import { linePlot, type PlotMarker, type PlotSeries } from './plot.js'

/** Over which steps a schedule is drawn, and how. */
export interface SchedulePlotOptions {
  /** The last step; the first is 0. A whole number, at least 1. */
  readonly steps: number
  /** Read out by screen readers. Default 'rate by step'. */
  readonly title?: string
  /** Of the rates. Default 'linear'. */
  readonly scale?: 'linear' | 'log10'
  readonly markers?: readonly PlotMarker[]
  /** Pixels. Default 460 x 300. */
  readonly width?: number
  readonly height?: number
}

const plotNames: OptionTable<SchedulePlotOptions> = {
  ...{ steps: 'required', title: 'optional', scale: 'optional', markers: 'optional' },
  ...{ width: 'optional', height: 'optional' },
}

/** How a row of block characters shows a schedule. */
export interface SparklineOptions {
  /** The last step; the first is 0. A whole number, at least 1. */
  readonly steps: number
  /** Characters. Default 60. */
  readonly width?: number
  /** Of the rates. Default 'linear'. */
  readonly scale?: 'linear' | 'log'
}

const sparklineNames: OptionTable<SparklineOptions> = {
  ...{ steps: 'required', width: 'optional', scale: 'optional' },
}

/**
 * Schedules as lines over their steps, by name, as a self-contained SVG text. The same schedules give the same bytes.
 * Each is asked at about two steps a pixel, and exactly at every step where there are fewer: a restart is a line as
 * steep as can be drawn.
 *
 * @example schedulePlot({ ramp: (step) => step / 10 }, { steps: 10 }).slice(0, 4) // '<svg'
 * schedulePlot({}, { steps: 0 }) // throws schedulePlot: steps is not a whole number, 1 or more [0]
 */
export function schedulePlot(
  schedules: Readonly<Record<string, (step: number) => number>>,
  options: SchedulePlotOptions,
): string {
  checkRecord('schedulePlot', 'schedules', schedules)
  checkOptions('schedulePlot', options, plotNames)
  for (const [name, rate] of Object.entries(schedules)) checkFunction('schedulePlot', name, rate)
  const { steps, title = 'rate by step', scale = 'linear', width = 460, ...rest } = options
  const asked = spread('schedulePlot', steps, 2 * width)
  const series = Object.entries(schedules).map(
    ([name, rate]): PlotSeries => ({ name, dots: false, points: asked.map((x) => ({ x, y: rate(x) })) }),
  )
  return linePlot(series, { title, width, ...rest, x: { label: 'step' }, y: { label: 'rate', scale } })
}

/**
 * A schedule as a row of block characters, for terminals: `width` of them (default 60), from step 0 to `steps`.
 *
 * @example scheduleSparkline((step) => Math.min(step, 4), { steps: 8, width: 9 }) // '·▁▃▆█████'
 */
export function scheduleSparkline(schedule: (step: number) => number, options: SparklineOptions): string {
  checkFunction('scheduleSparkline', 'schedule', schedule)
  checkOptions('scheduleSparkline', options, sparklineNames)
  const { steps, width = 60, scale = 'linear' } = options
  checkInteger('scheduleSparkline', 'width', width, 2)
  return sparkline(spread('scheduleSparkline', steps, width - 1).map(schedule), { scale })
}

/** Whole steps from 0 to `last`, evenly spread: all of them, or `most` + 1 where there are more. */
function spread(op: string, last: number, most: number): number[] {
  checkInteger(op, 'steps', last, 1)
  const gaps = Math.min(last, Math.floor(most))
  return Array.from({ length: gaps + 1 }, (_, i) => Math.round((i * last) / gaps))
}
