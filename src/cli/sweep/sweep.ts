import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { Piscina } from 'piscina'
import {
  BadInput,
  CannotWrite,
  jsonText,
  openReport,
  type Subcommand,
  say,
  type Terminal,
} from '../../io/index.js'
import { cumsums, forms } from '../../ssm/index.js'
import { experiments, modelDTypes, type SweepRow } from '../../step2750/index.js'
import { sweep } from '../../step2750Files/index.js'
import { sweepPage } from './sweepPage.js'
import { type GivenSweep, readSweep, type SweepRequest } from './sweepRequest.js'
import { calibrated, sweepTable } from './sweepTable.js'

/**
 * `sweep`: the step-2750 experiment over a grid of its options, in worker threads. Exit status 0; 1 when a run fails or
 * the results cannot be written; 2 for options or a file of results that cannot be taken.
 */
export const sweepCommand: Subcommand = (terminal, exit) =>
  new Command('sweep')
    .description(
      'Runs the step-2750 experiment over every combination of the values given, in worker threads. Rows that the file of results holds are not run again: a sweep that was killed goes on.',
    )
    .option('--lr <rates>', 'learning rates; default: what is calibrated for the experiment')
    .option('--form <names>', Object.keys(forms).join(', '))
    .option('--cumsum <names>', Object.keys(cumsums).join(', '))
    .option('--dtype <names>', modelDTypes.join(', '))
    .option('--experiment <names>', Object.keys(experiments).join(', '))
    .option('--seed <numbers>', 'of the data that are drawn')
    .option('--steps <numbers>', 'steps at most')
    .option('--length <numbers>', 'positions of a sequence')
    .option('--gap <steps>', 'the long first step of experiment gap')
    .option('--broadcast-sum <names>', 'float32, windowed-32')
    .option('--zero-nans <answers>', 'yes, no')
    .option('--workers <n>', 'worker threads', String(availableParallelism()))
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <folder>', 'where rows.jsonl and the report go', 'reports/sweep')
    .addHelpText(
      'after',
      '\nEvery option takes one value or several, separated by commas.\nExample:\n  tpu-toolkit sweep --lr 2e-4,2.75e-4,4e-4,6e-4,1e-3 --cumsum sequential,stable',
    )
    .action(async (given: GivenSweep) => {
      exit(await run(readSweep(given), terminal))
    })

async function run(request: SweepRequest, terminal: Terminal): Promise<number> {
  const { grid, out, json } = request
  const report = openReport({ out, json, terminal })
  const path = join(out, 'rows.jsonl')
  terminal.ifStopped?.(`the runs that are done are in ${path}: the same command goes on`)
  let rows: readonly SweepRow[]
  try {
    rows = await swept(request, path, terminal)
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new BadInput(thrown.message.replace(/^sweep: /, ''))
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    throw new CannotWrite(`cannot write the results [${thrown.message.slice(0, 100)}]`)
  }
  if (json) terminal.out(jsonText({ note: calibrated, rows }))
  else say(terminal, `${sweepTable(rows, terminal.width)}\n`)
  report.write({ 'index.html': sweepPage(rows) })
  const tell = json ? terminal.error : terminal.out
  tell(`${grid.length} runs, in ${path}\n`)
  return 0
}

async function swept({ grid, workers }: SweepRequest, path: string, terminal: Terminal): Promise<SweepRow[]> {
  const filename = new URL('./sweepWorker.js', import.meta.url).href
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: Math.min(workers, grid.length) })
  try {
    return await sweep(grid, {
      path,
      run: (options) => pool.run(options),
      onRow: (done, total) => terminal.progress?.(done, total, `${done} of ${total} runs`),
    })
  } finally {
    // After a failure a run that is given up may still answer: piscina calls that an error, and nobody waits for it.
    pool.on('error', () => {})
    await pool.destroy()
  }
}
