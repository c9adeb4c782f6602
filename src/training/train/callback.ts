import type { PlainData } from '../checkpoint/index.js'

/** One step that was made. */
export interface StepRecord<P = unknown> {
  /** Its number, from 1. */
  readonly step: number
  /** How many there are to be. */
  readonly steps: number
  /** The loss, what else the step measured, and, where an evaluation is due, what that did. */
  readonly metrics: Readonly<Record<string, number>>
  /** The state behind the step, and the one before it. */
  readonly point: P
  readonly before: P
  /** Seconds: of the step itself, of waiting for its data, of saving a checkpoint behind the step before. No part of what a run repeats. */
  readonly seconds: { readonly step: number; readonly data: number; readonly save: number }
}

/** Why a run came to its end. */
export type Ended = 'steps' | 'data' | 'callback' | 'signal' | 'host lost'

/** Functions called at events of a run: all of them are optional. */
export interface Callback<P = unknown> {
  /** Names its state in a checkpoint; needed where there is one. */
  readonly name?: string
  /** Before the first step, or the first one after a checkpoint: how many are made already. */
  readonly onBegin?: (made: number, steps: number) => void | Promise<void>
  /** After every step; what is `'stop'`, at once or as a promise, ends the run. */
  readonly onStep?: (record: StepRecord<P>) => unknown
  /** When the run is over, whatever ended it, an error too. */
  readonly onEnd?: () => void | Promise<void>
  /** What it has to know again to go on: plain data, kept in every checkpoint. */
  readonly state?: () => unknown
  /** Is given that back, before `onBegin`. */
  readonly restore?: (state: PlainData) => void
}
