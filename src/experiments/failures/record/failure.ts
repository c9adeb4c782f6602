import { checkOptions, type OptionTable } from '../../../base/options/index.js'
import { checkFloatDType, type FloatDType } from '../../../tensors/tensor/index.js'
import type { Examination } from './examination.js'

/** What one way of computing gives: named numbers and series. null is an event that did not happen. */
export type Readings = Readonly<Record<string, number | null | readonly number[]>>

/** Whether the failure shows in this run, and the sentence that says so, made of the run's numbers. */
export interface Verdict {
  readonly holds: boolean
  readonly text: string
}

/** A line through points. */
export interface FailureSeries {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly color: 'red' | 'blue' | 'grey' | 'orange' | 'green' | 'purple'
  /** Something that was not measured, or lies beneath. Default false. */
  readonly dashed?: boolean
  /** Dots at the points. Default: where it is not dashed. */
  readonly dots?: boolean
}

/** An axis, linear by default. */
export interface FailureAxis {
  readonly label: string
  readonly scale?: 'linear' | 'log2' | 'log10'
}

/**
 * What to plot, as plain data. `tpu-toolkit/report` draws it: `linePlot(series, { title, x, y, markers })` of these fields, or
 * `scatterPlot` where the kind says so.
 */
export interface FailureFigure {
  readonly kind: 'line' | 'scatter'
  readonly title: string
  /** The sentence under it. */
  readonly caption: string
  readonly x: FailureAxis
  readonly y: FailureAxis
  readonly series: readonly FailureSeries[]
  /** Vertical rules: where something happens. */
  readonly markers?: readonly { readonly x: number; readonly label: string }[]
}

/** One run of a failure: plain data. */
export interface FailureRun {
  /** The way that fails. */
  readonly naive: Readings
  /** The way that does not, on the same problem. */
  readonly stable: Readings
  readonly verdict: Verdict
  readonly figure: FailureFigure
}

/** One way to take the defect out: options with which the verdict no longer holds. */
export interface Repair<O extends object = object> {
  /** What is changed, in a few words. */
  readonly change: string
  readonly options: O
}

/** What the precision doctor can do for a failure: a computation to examine, or the reason why wider operations do not help. */
export type Cure = Examination | { readonly none: string }

/** A low-precision failure that people met, small enough to be read and run in a moment. */
export interface Failure<O extends object = object> {
  /** Lower-case words with dashes. */
  readonly id: string
  /** The claim in one line. */
  readonly title: string
  /** What happens and why, in a few sentences. */
  readonly story: string
  /** Where it was reported: a thread, a paper, official documentation. A URL. */
  readonly source: string
  /** What the source reports, in our words. */
  readonly reported: string
  /** Ways to take the defect out. */
  readonly repairs: readonly Repair<O>[]
  /** Whether wider operations take it out, for `tpu-toolkit doctor`. */
  readonly cure: Cure
  /** The names of its options. */
  readonly options: OptionTable<O>
  /** Runs the naive and the stable form. Without options the failure shows. Equal options give equal numbers. */
  run(options?: O): FailureRun
}

/** The dtype of the way that fails. */
export interface DTypeOption {
  readonly dtype?: FloatDType
}

/** What one run of a failure comes to, as its file writes it. */
interface Outcome extends Pick<FailureRun, 'naive' | 'stable'>, Verdict {
  /** Lines, under the title of the failure, where nothing else is given. An axis is its label, or a label and a scale. */
  readonly figure: Partial<Pick<FailureFigure, 'kind' | 'markers'>> &
    Pick<FailureFigure, 'caption' | 'series'> & {
      readonly axes: readonly [x: string | FailureAxis, y: string | FailureAxis]
    }
}

/** A failure of its description: `run` gets options whose names are checked, and their dtype where there is one. */
export function failure<O extends object>(
  made: Omit<Failure<O>, 'run'> & { run(options: O): Outcome },
): Failure<O> {
  return {
    ...made,
    run(options = {} as O) {
      checkOptions(made.id, options, made.options)
      const { dtype } = options as DTypeOption
      if (dtype !== undefined) checkFloatDType(made.id, 'dtype', dtype)
      const { naive, stable, holds, text, figure } = made.run(options)
      const { kind = 'line', caption, axes, series, markers } = figure
      const [x, y] = axes.map((axis) => (typeof axis === 'string' ? { label: axis } : axis))
      const drawn = { kind, title: made.title, caption, x: x!, y: y!, series }
      return { naive, stable, verdict: { holds, text }, figure: { ...drawn, ...(markers && { markers }) } }
    },
  }
}
