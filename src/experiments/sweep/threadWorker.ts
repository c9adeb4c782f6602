import { Console } from 'node:console'
import { mkdirSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { shown } from '../../base/options/index.js'
import { type LoadedExperiment, loadExperiment, type Metrics, type Row } from './experiment.js'
import { locateExperiment } from './findExperiment.js'
import { trialFailed } from './runner.js'
import type { Trial } from './trial.js'

// The entry of each piscina thread; not public.

// Standard output belongs to the results: what an experiment prints in its thread goes to the other stream.
globalThis.console = new Console(process.stderr)

/** One trial on its way to a thread. */
export interface ThreadTask {
  readonly experiment: string
  /** Undefined: the experiment is loaded, and nothing is run. */
  readonly trial?: Trial
  /** The folder of its configuration. */
  readonly resume?: string
  /** Of the text that the experiment's file must have. */
  readonly digest?: string | null
}

/** What a trial reports on its way. */
export interface ThreadReport {
  readonly key: string
  readonly step: number
  readonly metrics: Metrics
}

/** How a trial ended. A text, since an error of one's own class does not come through between threads. */
export type ThreadResult = { readonly row: Row } | { readonly failed: string }

/** Reports come at most so often, in milliseconds: an eye sees no more, and each is a message to the main thread. */
const pause = 50

let loaded: { readonly specifier: string; readonly experiment: LoadedExperiment } | undefined

/** The experiment, whose file is imported only where its bytes are the expected ones. */
async function load({ experiment: specifier, digest }: ThreadTask): Promise<LoadedExperiment> {
  const known = loaded?.specifier === specifier ? loaded.experiment : undefined
  const found = known ?? locateExperiment('loadExperiment', specifier)
  if (digest !== undefined && digest !== found.digest) throw new Error('its file was changed while it ran')
  const experiment = known ?? (await loadExperiment(specifier))
  loaded = { specifier, experiment }
  return experiment
}

/** What a thread does: one trial. */
export default async function work(task: ThreadTask): Promise<ThreadResult> {
  const { trial, resume } = task
  let name = task.experiment
  try {
    const experiment = await load(task)
    name = experiment.name
    if (trial === undefined) return { row: {} }
    if (resume !== undefined) mkdirSync(resume, { recursive: true })
    let last = Number.NEGATIVE_INFINITY
    const row = await experiment.run(trial.params, {
      ...(trial.steps === undefined ? {} : { steps: trial.steps }),
      ...(resume === undefined ? {} : { resume }),
      signal: new AbortController().signal,
      report: (step, metrics) => {
        const now = performance.now()
        if (now - last < pause) return
        last = now
        const report: ThreadReport = { key: trial.key, step, metrics }
        parentPort?.postMessage(report)
      },
    })
    return { row }
  } catch (thrown) {
    if (trial === undefined) return { failed: thrown instanceof Error ? thrown.message : shown(thrown) }
    return { failed: trialFailed(name, trial, thrown).message }
  }
}
