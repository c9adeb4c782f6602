import type { Step2750Data } from './step2750Data.js'
import type { Step2750Run } from './step2750Options.js'
import type { Step2750Record } from './step2750Record.js'
import type { TrainPoint } from './trainStep2750.js'

/** Everything that a run needs to resume. */
export interface Checkpoint {
  readonly point: TrainPoint
  readonly loss: Float32Array
  readonly kept: readonly Step2750Record[]
  readonly tail: readonly Step2750Record[]
  readonly firstNonFiniteStep: number | null
  readonly nonFiniteSteps: number
}

/** Where a run is kept: a file, or whatever a page has. */
export interface CheckpointStore {
  /** What was written last; undefined where nothing was. Throws where it is not of this run. */
  readonly read: (data: Step2750Data, run: Step2750Run) => Checkpoint | undefined
  /** Keeps a checkpoint in the place of the one before. */
  readonly write: (checkpoint: Checkpoint, data: Step2750Data, run: Step2750Run) => void
}
