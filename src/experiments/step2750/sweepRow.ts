import { ablate } from './ablation.js'
import { checkRun, type Step2750Run } from './step2750Options.js'

/** What one run of a sweep came to. */
export interface SweepRow {
  readonly options: Step2750Run
  readonly stepsRun: number
  readonly firstNonFiniteStep: number | null
  /** Steps whose loss or gradient is not finite. */
  readonly nonFiniteSteps: number
  /** Median of the last 100 finite losses; null where there is none. */
  readonly medianLoss: number | null
  /** The largest span |A| (cs_end - cs_0) among the recorded steps; null where there is none. */
  readonly largestSpan: number | null
}

/**
 * Runs the experiment once, for a sweep.
 *
 * @example sweepRow(sweepGrid({ steps: [3] })[0]).stepsRun // 3
 */
export function sweepRow(options: Step2750Run): SweepRow {
  checkRun('sweepRow', options)
  const { gap, ...rest } = options
  const shared = gap === null ? rest : { ...rest, gap }
  const [row] = ablate(shared, { rows: [{ name: 'sweep', options: {} }] })
  const { stepsRun, firstNonFiniteStep, nonFiniteSteps, medianLoss, largestSpan } = row!
  return { options, stepsRun, firstNonFiniteStep, nonFiniteSteps, medianLoss, largestSpan }
}
