import type { SeriesColor } from '../../parts/drawChart.js'

/** A cell: a number, a text, or nothing. */
export type ViewCell = number | string | null

/** Which columns are drawn at first. */
export interface ViewPlot {
  readonly x: string
  readonly y: string
  /** The column whose values each have a line. */
  readonly by?: string
  readonly logX?: boolean
  readonly logY?: boolean
}

/** A list of records of the report. */
export interface ViewTable {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly ViewCell[])[]
  readonly plot?: ViewPlot
  /** What is looked for at first. */
  readonly words?: string
}

/** A figure that the report describes, or a list of numbers. */
export interface ViewFigure {
  readonly title: string
  readonly caption: string
  readonly xTitle: string
  readonly yTitle: string
  readonly logX: boolean
  readonly logY: boolean
  readonly series: readonly {
    readonly name: string
    readonly color: SeriesColor
    readonly dashed: boolean
    readonly x: readonly number[]
    readonly y: readonly number[]
  }[]
  readonly marks: readonly { readonly x?: number; readonly y?: number; readonly word: string }[]
}

/** A report, as it is shown. */
export interface View {
  /** What it is: `drift`, `nan` ... */
  readonly kind: string
  /** In a sentence. */
  readonly about: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly texts: readonly { readonly title: string; readonly text: string }[]
  readonly tables: readonly ViewTable[]
  readonly figures: readonly ViewFigure[]
}

/** A file of results, or the name of a sample. */
export type ResultsAsked = { readonly file: Blob } | { readonly sample: 'drift' | 'nan' }

/** What the worker says. */
export type ResultsTold = { readonly answer: View } | { readonly failed: string }
