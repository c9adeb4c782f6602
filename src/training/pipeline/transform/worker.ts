import { threadId, workerData } from 'node:worker_threads'
import { shown } from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import { loadTransform } from './loadTransform.js'
import type { RecordPlace } from './recordContext.js'
import { runTransforms, type Step } from './runTransforms.js'
import type { ModuleTransform } from './transform.js'
import { fromWire, toWire, type Wired } from './wire.js'

// The entry of each piscina thread; not public.

/** What every thread receives once, at its start. */
export interface WorkerSetup {
  /** Groups of transforms that follow each other in workers. */
  readonly groups: readonly (readonly { kind: Step['kind']; transform: ModuleTransform }[])[]
  readonly root: Key
  /** By the slot of a task: the thread that has it. Shared by all threads. */
  readonly threads: Int32Array
}

/** Records on their way, and where each stands. */
export interface WiredRecords extends Wired {
  readonly places: readonly RecordPlace[]
}

/** Records for one of the groups. */
export interface WorkerTask extends WiredRecords {
  readonly group: number
  /** Where in `threads` the number of its thread is written. */
  readonly slot: number
}

const loaded = new Map<number, Promise<readonly Step[]>>()

/** The records of a task after its group of transforms. */
export default async function work(task: WorkerTask): Promise<WiredRecords> {
  const { groups, root, threads } = workerData as WorkerSetup
  Atomics.store(threads, task.slot, threadId)
  const steps = loaded.get(task.group) ?? loadGroup(groups[task.group]!)
  loaded.set(task.group, steps)
  try {
    const records = { values: fromWire(task), places: task.places }
    const result = await runTransforms(await steps, records, root)
    return { ...wired(result.values), places: result.places }
  } catch (error) {
    throw sendable(error)
  }
}

/** Results on their way; a getter of theirs may throw. */
function wired(values: readonly unknown[]): Wired {
  try {
    return toWire(values)
  } catch (thrown) {
    throw new TypeError(`load: the result of a transform cannot be read [${shown(thrown)}]`)
  }
}

/** An error whose cause can be sent to another thread. */
function sendable(error: unknown): unknown {
  if (!(error instanceof Error) || error.cause === undefined) return error
  try {
    structuredClone(error.cause)
  } catch {
    delete error.cause
  }
  return error
}

function loadGroup(group: WorkerSetup['groups'][number]): Promise<readonly Step[]> {
  return Promise.all(
    group.map(async ({ kind, transform }) => ({ kind, transform: await loadTransform(transform) })),
  )
}
