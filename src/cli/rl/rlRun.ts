import { join } from 'node:path'
import type { PpoState } from '../../models/rl/index.js'
import type { Point, State } from '../../optimizer/index.js'
import { foldIn, key } from '../../tensors/random/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { latest, listCheckpoints, readCheckpoint } from '../../training/checkpoint/index.js'
import { type StepResult, train } from '../../training/train/index.js'
import { BadInput } from '../io/badInput.js'
import type { Terminal } from '../io/terminal.js'
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

/** Where the training of all seeds stands between two updates. */
interface RlPoint extends Point<State, Treelike> {
  /** What each seed came to, by its number; the beginning of the first seed's where it is not done. */
  readonly policies: Readonly<Record<string, Treelike>>
  readonly kept: Kept
}

/** What has no tensors: plain data. */
interface Kept {
  readonly rows: readonly RlRow[]
  /** The seed under way, but for its point; null before its first update. */
  readonly record: Omit<PpoState, 'point'> | null
  readonly curve: RlRow['curve']
}

const checkpointsOf = (out: string): string => join(out, 'checkpoints')

/** The request of the run that a folder has. */
export function requestIn(out: string): RlRequest {
  const folder = checkpointsOf(out)
  if (listCheckpoints(folder).length === 0) throw new BadInput(`there is no run in this folder [${out}]`)
  const { state } = readCheckpoint(folder, { paths: [] })
  return (state as unknown as { settings: RlRequest }).settings
}

/**
 * Trains every seed, one after the other: `train`, a step an update, kept after each. One that was killed goes on, and ends with
 * the same bytes. The rows of all seeds; with `evaluateOnly` those of seeds that are done, judged again.
 */
export async function rlRun(
  request: RlRequest,
  out: string,
  terminal: Terminal,
  evaluateOnly: boolean = false,
): Promise<readonly RlRow[]> {
  const { run, evaluate } = rlTask(request)
  const folder = checkpointsOf(out)
  if (listCheckpoints(folder).length > 0 && JSON.stringify(requestIn(out)) !== JSON.stringify(request)) {
    throw new BadInput(`another run is kept in this folder, give another --out, or rl resume [${out}]`)
  }
  const begun = (seed: number): PpoState => run.init(foldIn(key(0), seed))
  const steps = request.seeds * run.updates

  function init(): RlPoint {
    const { point } = begun(0)
    const seeds = Array.from({ length: request.seeds }, (_, seed) => seed)
    const policies = Object.fromEntries(seeds.map((seed) => [`seed${seed}`, point.params]))
    return { ...point, policies, kept: { rows: [], record: null, curve: [] } }
  }

  function step({ params, state, policies, kept }: RlPoint): StepResult<RlPoint> {
    const seed = kept.rows.length
    const from = kept.record === null ? begun(seed) : { ...kept.record, point: { params, state } }
    const [{ point, ...record }, progress] = run.update(from)
    const mean = Number.isNaN(progress.meanReturn) ? null : progress.meanReturn
    const curve: RlRow['curve'] = [...kept.curve, [progress.steps, mean, progress.exactlyOne]]
    const { loss } = progress
    if (record.update < run.updates) {
      return { ...point, policies, kept: { ...kept, record, curve }, loss }
    }
    const trained = record.returns.reduce((a, b) => a + b, 0) / record.returns.length
    const row = { seed, trained, figures: evaluate(point.params), curve }
    return {
      ...point,
      policies: { ...policies, [`seed${seed}`]: point.params },
      kept: { rows: [...kept.rows, row], record: null, curve: [] },
      loss,
    }
  }

  const { point } = await train({
    ...{ init, step, plain: ['kept'], data: () => null },
    // No step where nothing is to be trained: what is kept is read.
    steps: evaluateOnly ? 0 : steps,
    // The process that has this thread hears signals, and ends it.
    signals: [],
    checkpoint: { folder, every: 1, keep: [latest(1)], settings: request },
    callbacks: [
      {
        onStep: ({ step: made }) => {
          const [seed, update] = [Math.floor((made - 1) / run.updates), ((made - 1) % run.updates) + 1]
          terminal.progress?.(made, steps, `seed ${seed}, update ${update} of ${run.updates}`)
        },
      },
    ],
  })
  const { rows } = point.kept
  if (!evaluateOnly) return rows
  return rows.map((row) => ({ ...row, figures: evaluate(point.policies[`seed${row.seed}`]!) }))
}
