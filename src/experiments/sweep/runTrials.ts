import {
  checkArray,
  checkFunction,
  checkOptions,
  checkPath,
  checkRecord,
  checkText,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { conduct } from './conduct.js'
import { openRowsFile, type TrialRow } from './rowsFile.js'
import type { Runner } from './runner.js'
import { listSchedule } from './schedule.js'
import { makeTrial, type Trial } from './trial.js'

/** Where the rows of a list of trials go, and who runs them. */
export interface RunTrialsOptions {
  /** The file of results. What it holds already is not run again. */
  readonly path: string
  /** All missing trials are requested at once. It is not closed. */
  readonly runner: Runner
  /** Written at the head of the file, so that no other experiment's rows get into it. Default: none. */
  readonly experiment?: string
  /** Called at the beginning, and after every row that is on disk. */
  readonly onRow?: (done: number, total: number) => void
}

const names: OptionTable<RunTrialsOptions> = {
  ...{ path: 'required', runner: 'required', experiment: 'optional', onRow: 'optional' },
}

/**
 * Runs every trial of a list that the file does not hold yet, and returns the rows of the list in its order. Each row goes to
 * the file when it ends; killed at any moment and begun again, a sweep goes on and ends with the same bytes.
 *
 * Throws    RangeError for a file that cannot be taken: of another kind or experiment, damaged, or written by another
 *           process. Where a trial fails the others are finished and stored, and then its error is thrown.
 */
export async function runTrials(
  trials: readonly Trial[],
  options: RunTrialsOptions,
): Promise<readonly TrialRow[]> {
  checkArray('runTrials', 'trials', trials)
  for (const trial of trials) checkTrial(trial)
  checkOptions('runTrials', options, names, { positional: 'path' })
  const { path, runner, experiment, onRow } = options
  checkPath('runTrials', path)
  checkRecord('runTrials', 'runner', runner, ['run', 'close'])
  if (experiment !== undefined) checkText('runTrials', 'experiment', experiment)
  if (onRow !== undefined) checkFunction('runTrials', 'onRow', onRow)
  const file = openRowsFile(path, experiment === undefined ? {} : { experiment })
  try {
    const schedule = listSchedule(trials)
    await conduct(schedule, { file, runner, atOnce: Number.POSITIVE_INFINITY, onRow })
    file.sort(trials)
    return trials.map(({ key }) => file.rows.get(key)!)
  } finally {
    file.close()
  }
}

function checkTrial(trial: Trial): void {
  checkRecord('runTrials', 'a trial', trial, ['key', 'params'])
  const { key } = makeTrial(trial.params, trial.steps)
  if (key !== trial.key) throw new RangeError(`runTrials: not the key of its trial [${shown(trial.key)}]`)
}
