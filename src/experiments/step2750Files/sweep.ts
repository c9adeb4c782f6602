import {
  checkArray,
  checkFunction,
  checkOptions,
  checkPath,
  type OptionTable,
} from '../../base/options/index.js'
import { runKey, type Step2750Run, type SweepRow } from '../step2750/index.js'
import { checkRow, runTrials, type Trial } from '../sweep/index.js'

/** Where a sweep's results go, and who runs. */
export interface SweepOptions {
  /** The file of results. What it holds already is not run again. */
  readonly path: string
  /** Runs one: `sweepRow`, or a pool of workers that call it. All missing runs are asked for at once. */
  readonly run: (options: Step2750Run) => Promise<SweepRow>
  /** Called at the beginning, and after every row that is on disk. */
  readonly onRow?: (done: number, total: number) => void
}

const names: OptionTable<SweepOptions> = { path: 'required', run: 'required', onRow: 'optional' }

/**
 * Runs every run of a grid that the file does not hold yet, and returns the rows of the grid in its order: `runTrials` over
 * runs of the step-2750 experiment. Killed at any moment and begun again, it goes on and ends with the same bytes.
 *
 * Throws    RangeError for a file that cannot be taken (see `runTrials`); where a run fails the others are finished
 *           and stored, and then its error is thrown.
 */
export async function sweep(grid: readonly Step2750Run[], options: SweepOptions): Promise<SweepRow[]> {
  checkArray('sweep', 'grid', grid)
  checkOptions('sweep', options, names, { positional: 'path' })
  const { path, run, onRow } = options
  checkPath('sweep', path)
  checkFunction('sweep', 'run', run)
  if (onRow !== undefined) checkFunction('sweep', 'onRow', onRow)
  const trials = grid.map((one): Trial => ({ key: runKey(one), params: { ...one } }))
  const asked = new Map(grid.map((one) => [runKey(one), one]))
  const runner = {
    run: async ({ key }: Trial) => {
      const { options: _, ...row } = await run(asked.get(key)!)
      return checkRow('sweep', row)
    },
    close: async () => {},
  }
  const reportRow = onRow && ((done: number, total: number) => onRow(done, total))
  const rows = await runTrials(trials, { path, runner, ...(reportRow ? { onRow: reportRow } : {}) })
  return rows.map(({ row }, i) => ({ options: grid[i]!, ...row }) as SweepRow)
}
