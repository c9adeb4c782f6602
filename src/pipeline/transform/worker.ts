import { workerData } from 'node:worker_threads'
import type { Key } from '../../random/index.js'
import { loadTransform } from './loadTransform.js'
import { type Records, runTransforms, type Step } from './runTransforms.js'
import type { ModuleTransform } from './transform.js'
import { fromWire, toWire } from './wire.js'

// What piscina runs in each thread; not part of the door.

/** What every thread is told once. */
export interface WorkerSetup {
  /** Groups of transforms that follow each other in workers. */
  readonly groups: readonly (readonly { kind: Step['kind']; transform: ModuleTransform }[])[]
  readonly root: Key
}

/** Records for one of the groups. */
export interface WorkerTask extends Records {
  readonly group: number
}

const loaded = new Map<number, Promise<readonly Step[]>>()

/** The records of a task after its group of transforms. */
export default async function work(task: WorkerTask): Promise<Records> {
  const { groups, root } = workerData as WorkerSetup
  const steps = loaded.get(task.group) ?? loadGroup(groups[task.group]!)
  loaded.set(task.group, steps)
  const values = task.values.map(fromWire)
  const result = await runTransforms(await steps, { values, places: task.places }, root)
  return { values: result.values.map(toWire), places: result.places }
}

function loadGroup(group: WorkerSetup['groups'][number]): Promise<readonly Step[]> {
  return Promise.all(
    group.map(async ({ kind, transform }) => ({ kind, transform: await loadTransform(transform) })),
  )
}
