import { checkArray, checkFunction, checkOptions, checkPath, type OptionTable } from '../options/index.js'
import { runKey, type Step2750Run, type SweepRow } from '../step2750/index.js'
import { openSweepFile } from './sweepFile.js'

/** Where a sweep's results go, and who runs. */
export interface SweepOptions {
  /** The file of results. What it holds already is not run again. */
  readonly path: string
  /** Runs one: `sweepRow`, or a pool of workers that call it. All missing runs are asked for at once. */
  readonly run: (options: Step2750Run) => Promise<SweepRow>
  /** Told at the beginning, and of every row that is on disk. */
  readonly onRow?: (done: number, total: number) => void
}

const names: OptionTable<SweepOptions> = { path: 'required', run: 'required', onRow: 'optional' }

/**
 * Runs every run of a grid that the file does not hold yet, and returns the rows of the grid in its order. Each row goes to
 * the file when it ends; killed at any moment and begun again, a sweep goes on and ends with the same bytes.
 *
 * Throws    RangeError for a file that cannot be taken (see `openSweepFile`); where a run fails the others are finished
 *           and stored, and then its error is thrown.
 */
export async function sweep(grid: readonly Step2750Run[], options: SweepOptions): Promise<SweepRow[]> {
  checkArray('sweep', 'grid', grid)
  checkOptions('sweep', options, names, { positional: 'path' })
  const { path, run, onRow } = options
  checkPath('sweep', path)
  checkFunction('sweep', 'run', run)
  if (onRow !== undefined) checkFunction('sweep', 'onRow', onRow)
  const file = openSweepFile(path)
  try {
    const missing = grid.filter((options) => !file.rows.has(runKey(options)))
    let done = grid.length - missing.length
    onRow?.(done, grid.length)
    const ended = await Promise.allSettled(
      missing.map(async (options) => {
        file.append(await run(options))
        onRow?.(++done, grid.length)
      }),
    )
    const failed = ended.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    file.sort(grid)
    return grid.map((options) => file.rows.get(runKey(options))!)
  } finally {
    file.close()
  }
}
