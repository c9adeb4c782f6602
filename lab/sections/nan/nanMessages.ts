import type { Explanation, Step2750Options, Step2750Record } from 'tpu-toolkit/step2750'

/** What is asked of the worker: one run. */
export interface NanAsked {
  readonly options: Step2750Options
}

/** Points of the charts, every few steps. */
export interface NanPoints {
  readonly steps: readonly number[]
  readonly loss: readonly number[]
  readonly csEnd: readonly number[]
  readonly span: readonly number[]
}

/** The end of a run. */
export interface NanEnd {
  readonly stepsRun: number
  readonly firstNonFiniteStep: number | null
  readonly records: readonly Step2750Record[]
  readonly text: string
  readonly event: { readonly op: string; readonly kind: string } | null
  readonly clocks: Explanation['clocks']
  /** Of the losses of all steps: the same number in every engine. */
  readonly hash: string
  readonly milliseconds: number
}

/** What the worker says. */
export type NanTold = { readonly points: NanPoints } | { readonly end: NanEnd } | { readonly failed: string }
