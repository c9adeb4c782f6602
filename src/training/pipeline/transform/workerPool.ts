import { Piscina } from 'piscina'
import { shown } from '../../../base/options/index.js'
import { threadFile } from '../../files/index.js'
import type { RecordPlace } from './recordContext.js'
import type { Records } from './runTransforms.js'
import { fromWire, toWire } from './wire.js'
import type { WiredRecords, WorkerSetup, WorkerTask } from './worker.js'

/** Threads that run groups of transforms. */
export interface WorkerPool {
  run(group: number, records: Records): Promise<Records>
  /** Ends the threads, at once: what they were doing fails. */
  stop(): Promise<void>
}

/** Starts a number of threads; they end with `stop`, and do not keep the process alive while idle. */
export function workerPool(threads: number, setup: Omit<WorkerSetup, 'threads'>): WorkerPool {
  const places = new Int32Array(new SharedArrayBuffer(4 * slots))
  const open = (): Piscina<WorkerTask, WiredRecords> =>
    new Piscina({
      filename: threadFile('load', import.meta.url, 'training/pipeline/transform/worker.js'),
      minThreads: threads,
      maxThreads: threads,
      workerData: { ...setup, threads: places },
    })
  let pool: Piscina<WorkerTask, WiredRecords>
  let stopped = false
  let tasks = 0
  try {
    pool = open()
  } catch (error) {
    throw explained(error, [], 0)
  }
  return {
    run: async (group, { values, places: records }) => {
      const slot = tasks++ % slots
      places[slot] = 0
      const task = { ...toWire(values), group, slot, places: records }
      const result = await pool.run(task).catch((error: unknown) => {
        if (stopped) throw new Error('load: the loader was stopped [return]')
        throw explained(error, records, Atomics.load(places, slot))
      })
      return { values: fromWire(result), places: result.places }
    },
    stop: () => {
      stopped = true
      // A thread that was just done answers a task that is given up: piscina calls that an error, and nobody waits for it.
      pool.on('error', () => {})
      return pool.destroy()
    },
  }
}

/** What went wrong between the threads, in which and with which records; other errors as they are. */
function explained(error: unknown, places: readonly RecordPlace[], threadId: number): unknown {
  const records = recordsText(places)
  const where = `${threadId > 0 ? `, thread ${threadId}` : ''}${records}`
  // Of the error of a result that cannot be sent, which cannot be sent either, an empty object arrives.
  if (!(error instanceof Error)) {
    return new TypeError(
      `load: the result of a transform cannot be sent to another thread${records} [not cloneable]`,
    )
  }
  if (error.name === 'DataCloneError') {
    return new TypeError(
      `load: a record or an option cannot be sent to another thread${records} [${shown(error)}]`,
    )
  }
  const code = 'code' in error ? error.code : undefined
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new Error(
      `load: a worker ran out of memory${where}: fewer workers, or a smaller chunk, need less [${shown(error)}]`,
      { cause: error },
    )
  }
  if (/exited with code/.test(error.message)) {
    return new Error(
      `load: a worker ended at its work${where}: a transform that calls process.exit, or crashes the engine, is seen with workers: 0 [${shown(error)}]`,
      { cause: error },
    )
  }
  return error
}

/** Tasks that can be under way at a time, and more: each has a slot of its own for the number of its thread. */
const slots = 1 << 14

function recordsText(places: readonly RecordPlace[]): string {
  const [first, last] = [places[0], places.at(-1)]
  if (!first || !last) return ''
  if (places.length === 1) return `, record ${first.index}`
  return `, records ${first.index} to ${last.index}, ${places.length} of them`
}
