import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { threadFile } from '../files/index.js'
import { checkInteger, checkOptions, checkText, type OptionTable } from '../options/index.js'
import type { Report } from './experiment.js'
import { type Runner, TrialFailed, trialFailed } from './runner.js'
import { stateFolder } from './stateFolder.js'
import type { ThreadReport, ThreadResult, ThreadTask } from './threadWorker.js'

/** What runs in the threads, and in how many. */
export interface ThreadRunnerOptions {
  /** What `loadExperiment` takes. */
  readonly experiment: string
  /** Threads at most. Default: as many as the machine runs at once. */
  readonly workers?: number
  /** A folder in which each configuration has one of its own: `context.resume`. Default: none. */
  readonly states?: string
  /** What `loadExperiment` says of the file: a thread that finds another text there runs nothing. Default: any text. */
  readonly digest?: string | null
}

const names: OptionTable<ThreadRunnerOptions> = {
  experiment: 'required',
  workers: 'optional',
  states: 'optional',
  digest: 'optional',
}

/**
 * Runs trials in worker threads, which are started as they are needed and end with `close`. What the experiment throws, and
 * the end of its thread, is a `TrialFailed`; the other threads go on. What it prints goes to standard error.
 */
export function threadRunner(options: ThreadRunnerOptions): Runner {
  checkOptions('threadRunner', options, names, { positional: 'experiment' })
  const { experiment, workers = availableParallelism(), states, digest } = options
  checkText('threadRunner', 'experiment', experiment)
  checkInteger('threadRunner', 'workers', workers, 1, 256)
  if (states !== undefined) checkText('threadRunner', 'states', states)
  if (digest !== undefined && digest !== null) checkText('threadRunner', 'digest', digest)
  const reports = new Map<string, Report>()
  let pool: Piscina<ThreadTask, ThreadResult> | undefined
  const open = (): Piscina<ThreadTask, ThreadResult> => {
    const opened: Piscina<ThreadTask, ThreadResult> = new Piscina({
      filename: threadFile('threadRunner', import.meta.url, 'sweep/threadWorker.js'),
      minThreads: 1,
      maxThreads: workers,
      // Trials that are asked for one after the other find their thread again.
      idleTimeout: 60_000,
    })
    opened.on('message', ({ key, step, metrics }: ThreadReport) => reports.get(key)?.(step, metrics))
    return opened
  }
  return {
    run: async (trial, report) => {
      pool ??= open()
      if (report) reports.set(trial.key, report)
      const resume = states === undefined ? {} : { resume: stateFolder(states, trial.params) }
      const held = digest === undefined ? {} : { digest }
      try {
        const result = await pool.run({ experiment, trial, ...resume, ...held })
        if ('failed' in result) throw new TrialFailed(result.failed)
        return result.row
      } catch (thrown) {
        throw trialFailed(experiment, trial, thrown)
      } finally {
        reports.delete(trial.key)
      }
    },
    close: async () => {
      // A thread that was just done answers a task that is given up: piscina calls that an error, and nobody waits for it.
      pool?.on('error', () => {})
      await pool?.destroy()
      pool = undefined
    },
  }
}
