import type { Key } from '../../../tensors/random/index.js'
import { loadTransform } from './loadTransform.js'
import { type Records, runTransforms, type Step } from './runTransforms.js'
import { isModuleTransform, type ModuleTransform, type Transform } from './transform.js'
import { type WorkerPool, workerPool } from './workerPool.js'

/** One transform of a pipeline. */
export interface Stage {
  readonly kind: 'map' | 'filter'
  readonly transform: Transform<unknown, unknown>
}

/** Stages that follow each other and run in the same place. */
interface Group {
  readonly inWorkers: boolean
  readonly stages: readonly Stage[]
  /** Its number among the groups that the workers know. */
  readonly number: number
}

/** Runs a pipeline's transforms, in workers those that can. */
export interface StageRunner {
  readonly run: (part: 'records' | 'batches', records: Records) => Promise<Records>
  /** Ends the workers; what they were doing fails. */
  readonly stop: () => Promise<void>
}

/** Makes ready for running the stages of records and those of batches. No worker starts before something is run. */
export function stageRunner(
  parts: { readonly records: readonly Stage[]; readonly batches: readonly Stage[] },
  workers: number,
  root: Key,
): StageRunner {
  const known: Stage[][] = []
  const groups = {
    records: groupsOf(parts.records, workers, known),
    batches: groupsOf(parts.batches, workers, known),
  }
  const loaded = new Map<Group, Promise<Step[]>>()
  let pool: WorkerPool | undefined
  let stopped = false
  const runHere = async (group: Group, records: Records): Promise<Records> => {
    const steps = loaded.get(group) ?? loadAll(group.stages)
    loaded.set(group, steps)
    return runTransforms(await steps, records, root)
  }
  return {
    run: async (part, records) => {
      let current = records
      for (const group of groups[part]) {
        if (current.values.length === 0) break
        if (stopped) throw new Error('load: the loader was stopped [return]')
        if (group.inWorkers) {
          pool ??= workerPool(workers, {
            groups: known as { kind: Step['kind']; transform: ModuleTransform }[][],
            root,
          })
          current = await pool.run(group.number, current)
        } else {
          current = await runHere(group, current)
        }
      }
      return current
    },
    stop: async () => {
      stopped = true
      await pool?.stop()
    },
  }
}

/** Neighbours that run in the same place, together; those for workers are entered in `known`. */
function groupsOf(stages: readonly Stage[], workers: number, known: Stage[][]): Group[] {
  const groups: { inWorkers: boolean; stages: Stage[]; number: number }[] = []
  for (const stage of stages) {
    const inWorkers = workers > 0 && isModuleTransform(stage.transform)
    const last = groups.at(-1)
    if (last?.inWorkers === inWorkers) last.stages.push(stage)
    else groups.push({ inWorkers, stages: [stage], number: -1 })
  }
  for (const group of groups) if (group.inWorkers) group.number = known.push(group.stages) - 1
  return groups
}

function loadAll(stages: readonly Stage[]): Promise<Step[]> {
  return Promise.all(
    stages.map(async ({ kind, transform }) => ({ kind, transform: await loadTransform(transform) })),
  )
}
