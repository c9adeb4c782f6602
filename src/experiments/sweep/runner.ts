import { shown } from '../../base/options/index.js'
import type { Report, Row } from './experiment.js'
import { type Trial, trialText } from './trial.js'

/**
 * Executes trials: in threads (`threadRunner`), this thread (`localRunner`), or a queue of machines. A trial may be requested while
 * others are under way; how many run at once is the runner's business.
 */
export interface Runner {
  /** Runs one, and gives its row; `report` receives the experiment's intermediate metrics, where the runner can pass them on. */
  run(trial: Trial, report?: Report): Promise<Row>
  /** Ends what is under way, at once: those promises may reject, or never end. */
  close(): Promise<void>
}

/** A trial that did not come to a row: the experiment threw, or its thread ended. `cause` is what was thrown. */
export class TrialFailed extends Error {
  override readonly name: string = 'TrialFailed'
}

/** The error of a trial, with its parameters. */
export function trialFailed(experiment: string, trial: Trial, thrown: unknown): TrialFailed {
  if (thrown instanceof TrialFailed) return thrown
  const what = thrown instanceof Error ? thrown.message : shown(thrown)
  return new TrialFailed(`${experiment}: failed, ${what} [${trialText(trial)}]`, { cause: thrown })
}
