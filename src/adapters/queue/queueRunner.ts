import {
  checkFlag,
  checkFunction,
  checkNumber,
  checkOptions,
  checkText,
  type OptionTable,
} from '../../base/options/index.js'
import { loadExperiment, type Row, type Runner } from '../../experiments/sweep/index.js'
import { packageVersion } from '../../training/files/index.js'
import { answer } from './answer.js'
import { takeBack } from './failedJobs.js'
import { jobId, resultsChannel } from './jobId.js'
import { checkSweepName, keepSweep } from './keepSweep.js'
import { openTables, schema } from './openTables.js'
import { loadPeers } from './peers.js'
import { putJobs } from './putJobs.js'
import { queueAddress } from './queueAddress.js'
import { reportOf } from './reports.js'
import { type Connection, openSession } from './session.js'
import { watch } from './supervise.js'
import type { Waiter } from './waiter.js'
import { watchWorkers } from './watchWorkers.js'

/** Where trials are put, and what they are of. */
export interface QueueRunnerOptions {
  /** The database, as in `postgres://user@host:5432/name`. A password need not stand in it: PGPASSWORD and ~/.pgpass are read. */
  readonly url: string
  /** What `loadExperiment` takes; every worker finds its own copy under the same path, and the same bytes. */
  readonly experiment: string
  /** What the results are kept under: up to 200 printable ASCII characters. Default: the experiment, the digest of its file and the version of the toolkit. */
  readonly name?: string
  /** Runs that were set aside are run again. Default false: they fail at once, with their error. */
  readonly retryFailed?: boolean
  /** Seconds without a connection after which it is given up. Default 600. */
  readonly patience?: number
  /** Called with messages for a person: a connection that is lost, a queue without workers. Default: none are written. */
  readonly log?: (text: string) => void
}

const names: OptionTable<QueueRunnerOptions> = {
  ...{ url: 'required', experiment: 'required', name: 'optional', retryFailed: 'optional' },
  ...{ patience: 'optional', log: 'optional' },
}

/** A runner whose trials are run by the workers of a database. */
export interface QueueRunner extends Runner {
  /** What the results are kept under. */
  readonly name: string
  /** The trials that were set aside, by key, with their errors. */
  readonly failed: ReadonlyMap<string, string>
}

/** Jobs of one statement. */
const atOnce = 500

/**
 * Puts trials into a database, for `queueWorker` on any machine, and waits for their rows. A trial that is put there twice, by
 * this process or another, is run once; a row that is there is not run again. A connection that is lost is made again.
 * Closing it leaves the jobs in the queue: workers continue with them, and a later request for the same trials gets their rows.
 *
 * Throws    Error where pg or pg-boss is not installed, QueueFailed where nobody answers at the address, RangeError for a
 *           name under which another experiment's results are kept. A trial that failed three times is a TrialFailed.
 */
export async function queueRunner(options: QueueRunnerOptions): Promise<QueueRunner> {
  const op = 'queueRunner'
  checkOptions(op, options, names, { positional: 'url' })
  const { url, experiment, retryFailed = false, patience = 600, log = () => {} } = options
  const shown = queueAddress(op, url)
  checkText(op, 'experiment', experiment)
  if (options.name !== undefined) {
    checkText(op, 'name', options.name)
    checkSweepName(op, options.name)
  }
  checkFlag(op, 'retryFailed', retryFailed)
  checkNumber(op, 'patience', patience, 0)
  checkFunction(op, 'log', log)
  const loaded = await loadExperiment(experiment)
  const toolkit = packageVersion()
  const parts = [loaded.name, loaded.digest, toolkit].filter((part) => part !== null)
  // A file may be called anything.
  const name =
    options.name ??
    parts
      .join(' ')
      .replaceAll(/[^ -[\]-~]/g, '_')
      .slice(-200)
  const peers = await loadPeers(op)

  const waiters = new Map<string, Waiter>()
  const failed = new Map<string, string>()
  const heard = new Set<string>()
  let asked: string[] = []
  let count = 0

  const give = (connection: Connection, ids: readonly string[]): Promise<void> =>
    answer(connection, { name, ids, waiters, failed })

  const session = await openSession({
    ...{ op, url, shown, schema, peers, patience, log },
    begin: async (connection) => {
      await openTables(op, connection, peers.bossSchema)
      await keepSweep(op, connection, { name, experiment, digest: loaded.digest, toolkit })
      await connection.query(`listen ${resultsChannel(name)}`)
      // What was said while there was no connection was not heard.
      await give(connection, [...waiters.keys()])
    },
    onNotice: (_, id) => {
      const report = reportOf(id)
      if (report) {
        waiters.get(report.job)?.report?.(report.step, report.metrics)
        return
      }
      if (heard.size === 0) setImmediate(hear)
      heard.add(id)
    },
  })

  /** The end of everything, for those who wait. */
  const giveUp = (error: Error): void => {
    for (const { reject } of waiters.values()) reject(error)
    waiters.clear()
  }

  function hear(): void {
    const ids = [...heard].filter((id) => waiters.has(id))
    heard.clear()
    if (ids.length > 0) session.use((connection) => give(connection, ids)).catch(giveUp)
  }

  const put = async (): Promise<void> => {
    const ids = asked
    asked = []
    for (let at = 0; at < ids.length; at += atOnce) {
      const part = ids.slice(at, at + atOnce)
      await session.use(async (connection) => {
        if (retryFailed) await connection.transaction(() => takeBack(connection, name, part))
        await give(connection, part)
        const missing = part.flatMap((id) => waiters.get(id) ?? [])
        if (missing.length === 0) return
        await putJobs(connection, name, missing)
        // A job of an earlier sweep may have ended meanwhile, before anybody listened for it.
        await give(connection, part)
      })
    }
  }

  let looking = false
  const look = watchWorkers({ name, shown, log, waiting: () => [...waiters.keys()], give })
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    session
      .use(look)
      .catch(giveUp)
      .finally(() => {
        looking = false
      })
  }, watch)

  return {
    name,
    failed,
    run: (trial, report) => {
      const id = jobId(name, trial.key)
      const waiting = waiters.get(id)
      if (waiting) return waiting.row
      let [resolve, reject]: [(row: Row) => void, (error: Error) => void] = [() => {}, () => {}]
      const row = new Promise<Row>((...settle) => {
        ;[resolve, reject] = settle
      })
      waiters.set(id, { trial, order: count++, row, report, resolve, reject })
      if (asked.length === 0) setImmediate(() => put().catch(giveUp))
      asked.push(id)
      return row
    },
    close: async () => {
      clearInterval(timer)
      await session.close()
    },
  }
}
