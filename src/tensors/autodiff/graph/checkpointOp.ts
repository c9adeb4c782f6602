import type { KnownOp, Tensor } from '../../tensor/index.js'

/** One output of a function whose inside was not kept. */
export interface Rematerialise {
  /** All outputs of the call. */
  readonly outputs: readonly Tensor[]
  /** Runs the function again, recorded, and gives the same outputs. */
  readonly run: () => readonly Tensor[]
  readonly index: number
}

/** The record of checkpoint. */
export const checkpointOp: KnownOp = {
  name: 'checkpoint',
  form: 'whole',
  rounds: 'never',
  kernel: (_, attributes) => {
    const { run, index } = attributes as Rematerialise
    return run()[index]!
  },
}
