import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Records } from './runTransforms.js'
import { fromWire, toWire } from './wire.js'
import type { WorkerSetup, WorkerTask } from './worker.js'

/** Threads that run groups of transforms. */
export interface WorkerPool {
  run(group: number, records: Records): Promise<Records>
  /** Ends the threads, at once: what they were doing fails. */
  stop(): Promise<void>
}

/** Starts a number of threads; they end with `stop`, and do not keep the process alive while idle. */
export function workerPool(threads: number, setup: WorkerSetup): WorkerPool {
  const open = (): Piscina<WorkerTask, Records> =>
    new Piscina({
      filename: workerFile(import.meta.url),
      minThreads: threads,
      maxThreads: threads,
      workerData: setup,
    })
  let pool: Piscina<WorkerTask, Records>
  try {
    pool = open()
  } catch (error) {
    throw explained(error)
  }
  return {
    run: async (group, { values, places }) => {
      const task = { group, values: values.map(toWire), places }
      const result = await pool.run(task).catch((error: unknown) => {
        throw explained(error)
      })
      return { values: result.values.map(fromWire), places: result.places }
    },
    stop: () => {
      // A thread that was just done answers a task that is given up: piscina calls that an error, and nobody waits for it.
      pool.on('error', () => {})
      return pool.destroy()
    },
  }
}

/**
 * The file that threads run: beside the module at `here`. Threads run JavaScript only, so the sources (tests, programs
 * run by a TypeScript loader) use the built one.
 */
export function workerFile(here: string): string {
  const fromSource = new URL(here).pathname.endsWith('.ts')
  const path = fileURLToPath(
    new URL(fromSource ? '../../../dist/pipeline/transform/worker.js' : './worker.js', here),
  )
  if (!existsSync(path))
    throw new Error(
      `load: the worker's file is missing, build the package or keep it out of the bundle [${path}]`,
    )
  return path
}

/** What went wrong between the threads; other errors as they are. */
function explained(error: unknown): unknown {
  // Of the error of a result that cannot be sent, which cannot be sent either, an empty object arrives.
  if (!(error instanceof Error))
    return new TypeError('load: the result of a transform cannot be sent to another thread [not cloneable]')
  if (error.name === 'DataCloneError')
    return new TypeError(`load: a record or an option cannot be sent to another thread [${error.message}]`)
  return error
}
