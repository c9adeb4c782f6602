import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { checkInteger, checkOptions, checkText, type OptionTable } from '../../base/options/index.js'
import { threadFile } from '../../training/files/index.js'
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

/** Threads that run the trials of one experiment. */
export interface ThreadRunner extends Runner {
  /** Loads the experiment in a thread, where nothing that its module does ends this one. Rejects with what is wrong. */
  load(): Promise<void>
}

/**
 * Runs trials in worker threads, which are started as they are needed and end with `close`. What the experiment throws, and
 * the end of its thread, is a `TrialFailed`; the other threads go on. What it prints goes to standard error.
 */
export function threadRunner(options: ThreadRunnerOptions): ThreadRunner {
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
      filename: threadFile('threadRunner', import.meta.url, 'experiments/sweep/threadWorker.js'),
      minThreads: 1,
      maxThreads: workers,
      // Trials that are asked for one after the other find their thread again.
      idleTimeout: 60_000,
    })
    opened.on('message', (message: unknown) => {
      if (isReport(message)) reports.get(message.key)?.(message.step, message.metrics)
    })
    // An error outside of a task, such as one that a timer of the experiment throws later, ends its thread and nothing else.
    opened.on('error', () => {})
    return opened
  }
  const held = digest === undefined ? {} : { digest }
  return {
    load: async () => {
      pool ??= open()
      const result = await pool.run({ experiment, ...held })
      if ('failed' in result) throw new Error(result.failed)
    },
    run: async (trial, report) => {
      pool ??= open()
      if (report) reports.set(trial.key, report)
      const resume = states === undefined ? {} : { resume: stateFolder(states, trial.params) }
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
      await pool?.destroy()
      pool = undefined
    },
  }
}

/** Whether this is a report: the experiment's own code may post anything from its thread. */
function isReport(message: unknown): message is ThreadReport {
  const { key, step, metrics } = (message ?? {}) as Partial<ThreadReport>
  if (typeof key !== 'string' || typeof step !== 'number') return false
  return typeof metrics === 'object' && metrics !== null && Object.values(metrics).every(isNumber)
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
