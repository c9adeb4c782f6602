import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkpoints, latest, openCheckpoints } from '../../checkpoint/index.js'
import { BadInput, type Terminal } from '../../io/index.js'
import { foldIn, key } from '../../random/index.js'
import { loadPpo, type PpoState, type SavedPpo, savePpo } from '../../rl/index.js'
import type { Tree, Treelike } from '../../tree/index.js'
import type { RlRequest } from './rlRequest.js'
import { type RlFigures, rlTask } from './rlTask.js'

/** A seed that is done. */
export interface RlRow {
  readonly seed: number
  /** The mean return of the last 100 episodes of training. */
  readonly trained: number
  readonly figures: RlFigures
  /** Steps, the mean return of the last 100 episodes (null before any), and the share of ratios that are exactly 1. */
  readonly curve: readonly (readonly [steps: number, meanReturn: number | null, exactlyOne: number])[]
}

/** What a folder holds. */
interface Kept {
  readonly request: RlRequest
  readonly rows: readonly RlRow[]
  /** The seed under way, where one is. */
  readonly record: SavedPpo['record'] | null
  readonly curve: RlRow['curve']
}

/** The request of the run that a folder has. */
export async function requestIn(out: string): Promise<RlRequest> {
  if (!existsSync(checkpointsOf(out))) throw new BadInput(`there is no run in this folder [${out}]`)
  const checkpoints = openCheckpoints(checkpointsOf(out), { write: false })
  try {
    const { state } = await checkpoints.restore()
    return (state as unknown as Kept).request
  } finally {
    await checkpoints.close()
  }
}

const checkpointsOf = (out: string): string => join(out, 'checkpoints')

/**
 * Trains every seed, keeping where it stands after each update: one that was killed goes on, and ends with the same bytes. The
 * rows of all seeds; with `evaluateOnly` those of seeds that are done, judged again.
 */
export async function rlRun(
  request: RlRequest,
  out: string,
  terminal: Terminal,
  evaluateOnly: boolean = false,
): Promise<readonly RlRow[]> {
  const task = rlTask(request)
  const checkpoints = openCheckpoints(checkpointsOf(out), { keep: [latest(1)] })
  try {
    const found = await restored(checkpoints, request, out)
    const policies: Record<string, Treelike> = { ...found?.policies }
    let rows = [...(found?.kept.rows ?? [])]
    if (evaluateOnly) {
      return rows.map((row) => ({ ...row, figures: task.evaluate(policies[`seed${row.seed}`]!) }))
    }
    let { record = null, curve = [] } = found?.kept ?? {}
    let current = record && found ? loadPpo(task.run, { tensors: found.current as never, record }) : undefined
    const { updates } = task.run
    const save = (step: number, state: PpoState | undefined): Promise<void> => {
      const saved = state && savePpo(state)
      const kept: Kept = { request, rows, record: saved?.record ?? null, curve }
      return checkpoints.save(step, { tensors: { policies, current: saved?.tensors ?? {} }, state: kept })
    }
    for (let seed = rows.length; seed < request.seeds; seed++) {
      let state = current ?? task.run.init(foldIn(key(0), seed))
      current = undefined
      while (state.update < updates) {
        const [next, progress] = task.run.update(state)
        state = next
        const mean = Number.isNaN(progress.meanReturn) ? null : progress.meanReturn
        curve = [...curve, [progress.steps, mean, progress.exactlyOne]]
        const done = seed * updates + state.update
        terminal.progress?.(
          done,
          request.seeds * updates,
          `seed ${seed}, update ${state.update} of ${updates}`,
        )
        if (state.update < updates) await save(seed * (updates + 1) + state.update, state)
      }
      const { params } = state.point
      policies[`seed${seed}`] = params
      const trained = state.returns.reduce((a, b) => a + b, 0) / state.returns.length
      rows = [...rows, { seed, trained, figures: task.evaluate(params), curve }]
      curve = []
      await save((seed + 1) * (updates + 1) - 1, undefined)
    }
    await checkpoints.wait()
    return rows
  } finally {
    await checkpoints.close()
  }
}

async function restored(
  checkpoints: Checkpoints,
  request: RlRequest,
  out: string,
): Promise<{ kept: Kept; policies: Record<string, Treelike>; current: Tree } | undefined> {
  if (checkpoints.list().length === 0) return undefined
  const { tensors, state } = await checkpoints.restore()
  const kept = state as unknown as Kept
  if (JSON.stringify(kept.request) !== JSON.stringify(request)) {
    throw new BadInput(`another run is kept in this folder, give another --out, or rl resume [${out}]`)
  }
  const { policies, current } = tensors as { policies: Record<string, Treelike>; current: Tree }
  return { kept, policies, current }
}
