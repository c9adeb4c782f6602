import type { Failure, FailureRun } from '../../experiments/failures/index.js'

/** A failure with its run, and with a run of each of its repairs. */
export interface Exhibit {
  readonly failure: Failure
  readonly run: FailureRun
  readonly repaired: readonly { readonly change: string; readonly run: FailureRun }[]
}

/** Runs a failure as it is and with each repair. */
export function exhibit(failure: Failure): Exhibit {
  const repaired = failure.repairs.map(({ change, options }) => ({ change, run: failure.run(options) }))
  return { failure, run: failure.run(), repaired }
}
