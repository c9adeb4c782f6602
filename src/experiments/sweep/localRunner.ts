import { mkdirSync } from 'node:fs'
import {
  checkFunction,
  checkOptions,
  checkText,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type ExperimentFunction, wrapExperiment } from './experiment.js'
import { type Runner, trialFailed } from './runner.js'
import { stateFolder } from './stateFolder.js'

/** How the experiment is called, and where it may keep what it has. */
export interface LocalRunnerOptions {
  /** Default: 'experiment'. */
  readonly name?: string
  /** A folder in which each configuration has one of its own: `context.resume`. Default: none. */
  readonly states?: string
}

const names: OptionTable<LocalRunnerOptions> = { name: 'optional', states: 'optional' }

/**
 * Runs a function as an experiment in this thread: one trial at a time, in the order of the requests.
 *
 * @example Object.keys(localRunner(({ lr }) => ({ loss: lr * 2 }))) // ['run', 'close']
 */
export function localRunner(experiment: ExperimentFunction, options: LocalRunnerOptions = noOptions): Runner {
  checkFunction('localRunner', 'experiment', experiment)
  checkOptions('localRunner', options, names, { positional: 'name' })
  const { name = 'experiment', states } = options
  checkText('localRunner', 'name', name)
  if (states !== undefined) checkText('localRunner', 'states', states)
  const { run } = wrapExperiment(name, experiment, null)
  const closed = new AbortController()
  const { signal } = closed
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (trial, report = () => {}) => {
      const row = last.then(async () => {
        signal.throwIfAborted()
        const steps = trial.steps === undefined ? {} : { steps: trial.steps }
        const resume = states === undefined ? {} : { resume: stateFolder(states, trial.params) }
        if (resume.resume !== undefined) mkdirSync(resume.resume, { recursive: true })
        try {
          return await run(trial.params, { ...steps, ...resume, signal, report })
        } catch (thrown) {
          throw trialFailed(name, trial, thrown)
        }
      })
      last = row.catch(() => {})
      return row
    },
    close: async () => closed.abort(),
  }
}
