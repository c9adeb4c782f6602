import { checkFunction, checkText } from '../options/index.js'
import { type ExperimentFunction, wrapExperiment } from './experiment.js'
import { type Runner, trialFailed } from './runner.js'

/**
 * Runs a function as an experiment in this thread: one trial after the other, in the order in which they are asked for.
 *
 * @example const runner = localRunner(({ lr }) => ({ loss: lr * 2 }))
 * await runner.run(makeTrial({ lr: 3 })) // { loss: 6 }
 */
export function localRunner(experiment: ExperimentFunction, name: string = 'experiment'): Runner {
  checkFunction('localRunner', 'experiment', experiment)
  checkText('localRunner', 'name', name)
  const { run } = wrapExperiment(name, experiment, null)
  const closed = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (trial, report = () => {}) => {
      const row = last.then(async () => {
        closed.signal.throwIfAborted()
        const steps = trial.steps === undefined ? {} : { steps: trial.steps }
        try {
          return await run(trial.params, { ...steps, signal: closed.signal, report })
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
