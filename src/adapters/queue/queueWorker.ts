import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  checkArray,
  checkFlag,
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  checkRecord,
  checkText,
  type OptionTable,
} from '../../base/options/index.js'
import { type ThreadRunner, threadRunner } from '../../experiments/sweep/index.js'
import { packageVersion } from '../../training/files/index.js'
import { type Ended, keepEnded } from './keepEnded.js'
import type { SweepFacts } from './keepSweep.js'
import { openTables, schema } from './openTables.js'
import { loadPeers } from './peers.js'
import { queueAddress } from './queueAddress.js'
import { beat, leave, register } from './register.js'
import { openReports } from './reports.js'
import { type Connection, openSession } from './session.js'
import { suitability } from './suitability.js'
import { limits, supervise, watch } from './supervise.js'
import { openSweeps, type Taken, take } from './take.js'

/** Where a worker takes its runs from, and how many at a time. */
export interface QueueWorkerOptions {
  /** The database, as for `queueRunner`. */
  readonly url: string
  /** Runs at a time, each in a thread. Default: as many as the machine runs at once. */
  readonly workers?: number
  /** A folder that all workers see, in which each configuration has one of its own: `context.resume`. Default: none. */
  readonly states?: string
  /**
   * The folders that the modules of experiments may be in or below, symbolic links followed. Default: the working folder. Who may write to the
   * database chooses which of these modules run, and with which parameters.
   */
  readonly folders?: readonly string[]
  /** True ends it when no run is left that it could take. Default false: it waits for more. */
  readonly drain?: boolean
  /** Ends it: what it was running is given back, and the next worker begins with it. */
  readonly signal?: AbortSignal
  /** Seconds without a connection after which it is given up. Default 600. */
  readonly patience?: number
  /** Seconds after which a worker that holds its lock and says nothing is taken for stopped. Default 60. */
  readonly silence?: number
  /** Called with messages for a person. Default: none are written. */
  readonly log?: (text: string) => void
}

const names: OptionTable<QueueWorkerOptions> = {
  ...{ url: 'required', workers: 'optional', states: 'optional', drain: 'optional', signal: 'optional' },
  ...{ patience: 'optional', silence: 'optional', log: 'optional', folders: 'optional' },
}

/** What a worker did. */
export interface QueueWorkerEnd {
  /** Runs whose rows it kept. */
  readonly done: number
  /** Runs that failed under it. */
  readonly failed: number
  /** Runs that it gave back when it was ended. */
  readonly givenBack: number
}

/** How long a worker waits before it asks again, in milliseconds: notifications of new jobs come earlier, this is for one that is lost. */
const pause = 2000

/** The interval between two notifications of reports, in milliseconds. */
const between = 1000

/** How long it may take to give jobs back when it ends, in milliseconds. */
const farewell = 5000

/**
 * Takes trials from a database, runs them in threads and keeps their rows there, until it is ended. It is on one connection, which
 * is made again where it is lost; runs go on meanwhile. Killed, its runs are back in the queue within seconds.
 *
 * Throws    Error where pg or pg-boss is not installed, QueueFailed where nobody answers at the address, or for longer than
 *           `patience`, and where the database refuses what it is asked.
 */
export async function queueWorker(options: QueueWorkerOptions): Promise<QueueWorkerEnd> {
  const op = 'queueWorker'
  checkOptions(op, options, names, { positional: 'url' })
  const { url, workers = availableParallelism(), states, drain = false, signal } = options
  const { folders = [process.cwd()] } = options
  const { patience = 600, silence = limits.silence, log = () => {} } = options
  const shown = queueAddress(op, url)
  checkInteger(op, 'workers', workers, 1, 256)
  if (states !== undefined) checkText(op, 'states', states)
  checkArray(op, 'folders', folders)
  for (const folder of folders) checkText(op, 'a folder', folder)
  checkFlag(op, 'drain', drain)
  if (signal !== undefined) checkRecord(op, 'signal', signal, ['aborted'])
  checkNumber(op, 'patience', patience, 0)
  checkNumber(op, 'silence', silence, 0)
  checkFunction(op, 'log', log)
  const peers = await loadPeers(op)

  const running = new Map<string, Taken>()
  const pools = new Map<string, ThreadRunner>()
  let [done, failed] = [0, 0]
  let me: number | undefined
  let wake = (): void => {}

  const enlist = async (connection: Connection): Promise<void> => {
    me = await register(connection, workers, me, [...running.values()])
  }
  const session = await openSession({
    ...{ op, url, shown, schema, peers, patience, log },
    begin: async (connection) => {
      await openTables(op, connection, peers.bossSchema)
      await enlist(connection)
    },
    onNotice: () => wake(),
  })

  let lost: unknown
  let stopping = signal?.aborted ?? false
  const stop = (why?: unknown): void => {
    stopping = true
    lost ??= why
    wake()
  }
  const hear = (): void => stop()
  signal?.addEventListener('abort', hear)

  let beating = false
  const timer = setInterval(async () => {
    if (beating || stopping) return
    beating = true
    try {
      await session.use(async (connection) => {
        if (!(await beat(connection, me!))) await enlist(connection)
        await supervise(connection, { ...limits, silence })
      })
    } catch (thrown) {
      stop(thrown)
    }
    beating = false
  }, watch)

  const reports = openReports()
  const reporting = setInterval(() => {
    // A report that is lost changes nothing: a connection that is gone is noticed by the next beat.
    if (!stopping) reports.send(session).catch(() => {})
  }, between)

  const poolOf = ({ experiment, digest }: SweepFacts): ThreadRunner => {
    // Threads keep a module that they have read: another text of the same file is for other threads.
    const key = JSON.stringify([experiment, digest])
    const folder = states === undefined ? {} : { states }
    const pool = pools.get(key) ?? threadRunner({ experiment, digest, workers, ...folder })
    pools.set(key, pool)
    return pool
  }
  const whyNot = suitability({ toolkit: packageVersion(), folders, poolOf })

  let ended: Ended[] = []
  let keeping = false
  /** Keeps what ended: all that ended while the last of it was kept goes together. */
  const keep = async (): Promise<void> => {
    if (keeping) return
    keeping = true
    while (ended.length > 0 && !stopping) {
      const these = ended
      ended = []
      await session.use((connection) => keepEnded(connection, me!, these, log)).catch(stop)
      for (const { taken, row } of these) {
        running.delete(taken.job)
        if (row !== undefined) done++
        else failed++
      }
      wake()
    }
    keeping = false
  }

  const start = async (taken: Taken, sweep: SweepFacts): Promise<void> => {
    running.set(taken.job, taken)
    const end = await poolOf(sweep)
      .run(taken.trial, (step, metrics) => reports.add(taken, step, metrics))
      .then(
        (row): Ended => ({ taken, row, error: '' }),
        (thrown): Ended => ({ taken, row: undefined, error: messageOf(thrown) }),
      )
    ended.push(end)
    if (!stopping) await keep()
  }

  const refused = new Map<string, string>()
  let current: SweepFacts | undefined
  /** Takes what there is for the threads that are free. */
  const fill = async (connection: Connection): Promise<boolean> => {
    const free = workers - running.size
    const from = async (sweep: SweepFacts): Promise<boolean> => {
      const taken = await take(connection, me!, sweep.name, free)
      for (const one of taken) void start(one, sweep)
      if (taken.length > 0) current = sweep
      return taken.length > 0
    }
    if (current !== undefined && (await whyNot(current)) === undefined && (await from(current))) return true
    for (const sweep of await openSweeps(connection)) {
      const why = await whyNot(sweep)
      if (why === undefined) {
        if (await from(sweep)) return true
        continue
      }
      await connection.query(
        `insert into ${schema}.refusals (sweep, worker, why) values ($1, $2, $3)
         on conflict (sweep, worker) do update set why = excluded.why`,
        [sweep.name, me, why],
      )
      if (refused.get(sweep.name) !== why) log(`takes no run of ${sweep.name}: ${why}`)
      refused.set(sweep.name, why)
    }
    return false
  }

  try {
    while (!stopping) {
      let woken = false
      const wakeUp = new Promise<void>((resolve) => {
        wake = () => {
          woken = true
          resolve()
        }
      })
      if (running.size < workers) {
        if (await session.use(fill)) continue
        if (drain && running.size === 0) break
      }
      if (!woken && !stopping) await Promise.race([wakeUp, sleep(pause)])
    }
  } catch (thrown) {
    lost ??= thrown
  }
  stopping = true
  clearInterval(timer)
  clearInterval(reporting)
  signal?.removeEventListener('abort', hear)
  for (const pool of pools.values()) await pool.close()
  const given = session.use((connection) => leave(connection, me!))
  // Where there is no connection just now the server gives them back.
  const givenBack = await Promise.race([given.catch(() => 0), sleep(farewell, 0, { ref: false })])
  await Promise.race([session.close(), sleep(farewell, undefined, { ref: false })])
  if (lost !== undefined) throw lost
  return { done, failed, givenBack }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
