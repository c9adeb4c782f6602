import { slice } from '../hardware/index.js'
import { type Calibration, calibrate, defaultCalibration } from './calibrate.js'
import { estimateCompute, sliceShare } from './estimate.js'
import { type Measured, publishedRuns } from './published.js'
import { trainingStep } from './trainingStep.js'

/** How far the estimate of a published run is off: estimated over published time, less 1. */
export interface RunError {
  readonly run: Measured
  /** With all constants. Null where there is no estimate. */
  readonly error: number | null
  /** With constants fitted on all fitted runs but this one; of a held-out run the same as `error`. Null where none is left. */
  readonly leaveOneOut: number | null
  /** With constants fitted on no run of the same model. Null where none is left. */
  readonly leaveModelOut: number | null
  /** The lower bound over the published time, below 1; null where the model's dimensions are not known. */
  readonly bound: number | null
}

/** Estimated over published time, less 1. */
function errorOf(run: Measured, calibration: Calibration): number | null {
  const { config, tokensPerSecondPerChip, sequence, slices = 1, split, dtype, mfu } = run
  const made = slice(run.slice)
  const step = {
    ...{ chip: made.chip, sequence, dtype, slices, expertWays: split?.expert ?? 1 },
    tokensPerChip: run.batch === undefined ? sequence : (run.batch * sequence) / (made.chips * slices),
  }
  if (config === undefined || tokensPerSecondPerChip === undefined) {
    const share = calibration.dense.get(run.chip)?.value
    if (share === undefined || mfu === undefined) return null
    return (mfu / share) * (1 + sliceShare(calibration, step)) - 1
  }
  const { seconds } = estimateCompute(config, step, calibration)
  return seconds === null ? null : (seconds * tokensPerSecondPerChip) / step.tokensPerChip - 1
}

/** The lower bound of a run over its published time. */
function boundOf(run: Measured): number | null {
  const { config, tokensPerSecondPerChip, sequence, slices = 1, dtype } = run
  if (config === undefined || tokensPerSecondPerChip === undefined) return null
  const { chips, jaxDevices } = slice(run.slice)
  const batch = run.batch ?? jaxDevices * slices
  const { lowerBoundSeconds } = trainingStep(config, { slice: run.slice, batch, sequence, slices, dtype })
  return (lowerBoundSeconds * tokensPerSecondPerChip * chips * slices) / (batch * sequence)
}

/**
 * The error of the estimate on every published run, with and without the run itself among those that constants are fitted on.
 *
 * Shape     none. Dtype none. Rounding none.
 *
 * @example runErrors().length > 60 // true
 */
export function runErrors(): readonly RunError[] {
  const used = publishedRuns.filter(({ fitted }) => fitted)
  const byModel = new Map<string, Calibration>()
  return publishedRuns.map((run) => {
    const error = errorOf(run, defaultCalibration())
    const without = byModel.get(run.model) ?? calibrate(used.filter(({ model }) => model !== run.model))
    byModel.set(run.model, without)
    return {
      ...{ run, error, bound: boundOf(run), leaveModelOut: errorOf(run, without) },
      leaveOneOut: run.fitted ? errorOf(run, calibrate(used.filter((one) => one !== run))) : error,
    }
  })
}
