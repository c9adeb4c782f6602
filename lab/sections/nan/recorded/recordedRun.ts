import run from './run.json'

/** A step of the recorded run, as `runStep2750` records it. */
export type RecordedStep = (typeof run.last)[number]

/** The run of the experiment with every setting at its default, as Node computed it: `npm run lab:record` writes it. */
export const recordedRun: {
  /** The step that is NaN. */
  readonly end: number
  /** Losses of some steps of the whole run. */
  readonly steps: readonly number[]
  readonly losses: readonly number[]
  /** The last steps, whole. */
  readonly last: readonly RecordedStep[]
  readonly text: string
} = {
  end: run.firstNonFiniteStep,
  steps: numbersOf(run.losses).map((_, i) => run.every * (i + 1)),
  losses: numbersOf(run.losses),
  last: run.last,
  text: run.text,
}

function numbersOf(packed: string): number[] {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
  return [...new Float32Array(bytes.buffer)]
}
