import type { FormatName } from '../../../numbers/formats/index.js'
import type { Lab, Measurement, Trial } from './measurement.js'

/** Which measurements one plot shows. */
export interface FigureChoice {
  readonly input: string
  readonly variant: string
  readonly measure: 'maxAbs' | 'maxRel' | 'maxUlps' | 'stallShare'
  readonly caption: string
}

/** One operation of the benchmark: its trials, and how its results are described. */
export interface Operation {
  readonly name: string
  readonly title: string
  /** What is computed, on what, against what. */
  readonly about: string
  /** What the length of a trial is called. */
  readonly lengthName: string
  /** The lengths of a run without --length. */
  readonly lengths: readonly number[]
  /** Whether the elements of a result come one after another, so that one can stall. */
  readonly running: boolean
  /** Whether it is a piece of training; the summary draws the growth of operations on sequences only, if there are any. */
  readonly training?: true
  /** The measure whose growth with the length the table draws. */
  readonly growth: 'maxAbs' | 'maxRel' | 'maxUlps'
  /** The trials, each made when it is run because it holds arrays. */
  readonly trials: (lab: Lab) => readonly (() => Trial)[]
  /** The headline, out of the numbers. */
  readonly finding: (rows: readonly Measurement[], dtype: FormatName) => string
  /** The plots of its section, out of the measurements. */
  readonly figures: (rows: readonly Measurement[]) => readonly FigureChoice[]
}

/** Powers of two from `first` to `last`. */
export function powersOfTwo(first: number, last: number): number[] {
  return Array.from({ length: Math.log2(last / first) + 1 }, (_, i) => first * 2 ** i)
}
