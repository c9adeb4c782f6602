import { Console } from 'node:console'
import { mkdirSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { type LoadedExperiment, loadExperiment, type Metrics, type Row } from './experiment.js'
import { trialFailed } from './runner.js'
import type { Trial } from './trial.js'

// What piscina runs in each thread; not part of the door.

// Standard output belongs to the results: what an experiment prints in its thread goes to the other stream.
globalThis.console = new Console(process.stderr)

/** One trial on its way to a thread. */
export interface ThreadTask {
  readonly experiment: string
  readonly trial: Trial
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

let loaded: { readonly specifier: string; readonly experiment: Promise<LoadedExperiment> } | undefined

/** What a thread does: one trial. */
export default async function work(task: ThreadTask): Promise<ThreadResult> {
  const { experiment: specifier, trial, resume, digest } = task
  if (loaded?.specifier !== specifier) loaded = { specifier, experiment: loadExperiment(specifier) }
  let name = specifier
  try {
    const experiment = await loaded.experiment
    name = experiment.name
    if (digest !== undefined && digest !== experiment.digest) {
      throw new Error('its file was changed while it ran')
    }
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
    return { failed: trialFailed(name, trial, thrown).message }
  }
}
