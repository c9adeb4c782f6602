import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { QueueFailed, type QueueRunner, queueRunner } from '../../adapters/queue/index.js'
import { experiments, modelDTypes, type SweepRow } from '../../experiments/step2750/index.js'
import { runSweep, type SweepResult, TrialFailed } from '../../experiments/sweep/index.js'
import { cumsums, forms } from '../../models/ssm/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { CannotWrite, openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { searchPage } from './searchPage.js'
import { searchJson, searchText } from './searchText.js'
import { serveSweep } from './serveSweep.js'
import { sweepPage } from './sweepPage.js'
import { type GivenSweep, readSweep, type SweepRequest } from './sweepRequest.js'
import { calibrated, sweepTable } from './sweepTable.js'

/**
 * `sweep`: an experiment over many values of its parameters, in worker threads. Exit status 0; 1 when a run fails or
 * the results cannot be written; 2 for options or a file of results that cannot be taken.
 */
export const sweepCommand: Subcommand = (terminal, exit) => {
  const command = new Command('sweep')
  return command
    .description(
      "Runs an experiment over many values of its parameters, in worker threads or on many machines: the step-2750 experiment, or a module's function (parameters, { steps, report, signal, resume }) that returns a row. Runs whose rows are in the results file are skipped, so a killed sweep can be resumed.",
    )
    .usage('[options] [experiment.mjs[#export] --<parameter> <values> ...]')
    .argument('[experiment...]', 'step2750, or the path of a module; default: step2750')
    .allowUnknownOption()
    .optionsGroup('Search:')
    .option('--search <name>', 'grid, random, sobol, asha (successive halving); default: grid')
    .option('--trials <n>', 'trials of random and sobol, and initial trials of asha; default: 32')
    .option('--search-seed <n>', 'seed of random, and of a random shift of sobol')
    .option(
      '--over <search>',
      'search that supplies the trials of asha: random, sobol, grid; default: random',
    )
    .option('--eta <n>', 'asha: promote one in eta, to run eta times as far; default: 3')
    .option('--min-steps <n>', 'asha: steps of every trial')
    .option('--max-steps <n>', 'asha: steps of the best trials')
    .option('--metric <name>', 'field of the rows to optimise')
    .option('--goal <which>', 'min, max; default: min')
    .option('--missing <which>', 'rank of a metric that is not a finite number: worst, best; default: worst')
    .option('--param <name=values>', 'a parameter with the name of an option of this command', gather)
    .optionsGroup('Execution:')
    .option(
      '--workers <n>',
      'worker threads; with --queue, the runs that asha requests at a time',
      String(availableParallelism()),
    )
    .option('--serve [port]', 'serve a progress page on 127.0.0.1; default: any free port')
    .option('--json', 'print one JSON object instead of the table')
    .option(
      '--out <folder>',
      'folder of rows.jsonl and the report; default: reports/sweep, or reports/sweep-<module>',
    )
    .optionsGroup('Many machines:')
    .option(
      '--queue <address>',
      'postgres://user@host:5432/name, from which `tpu-toolkit worker` takes the runs',
    )
    .option(
      '--queue-name <name>',
      'name under which rows are stored; default: the experiment, its digest, the version',
    )
    .option('--retry-failed', 'retry runs that were set aside after three failures')
    .option('--patience <seconds>', 'give up after this time without a connection; default: 600')
    .optionsGroup('Parameters of step2750:')
    .option('--lr <rates>', 'learning rates; default: calibrated for the experiment')
    .option('--form <names>', Object.keys(forms).join(', '))
    .option('--cumsum <names>', Object.keys(cumsums).join(', '))
    .option('--dtype <names>', modelDTypes.join(', '))
    .option('--experiment <names>', Object.keys(experiments).join(', '))
    .option('--seed <numbers>', 'seeds of the random data')
    .option('--steps <numbers>', 'maximum numbers of steps')
    .option('--length <numbers>', 'positions of a sequence')
    .option('--gap <steps>', 'the long first step of experiment gap')
    .option('--broadcast-sum <names>', 'float32, windowed-32')
    .option('--zero-nans <answers>', 'yes, no')
    .addHelpText(
      'after',
      '\nA parameter takes one value or several, separated by commas, or a range:\n  1e-4..1e-2:log, 0..1:linear, 1..8:int; 1e-4..1e-2:log:5 for five points in a grid.\n\nExamples:\n  tpu-toolkit sweep --lr 2e-4,2.75e-4,4e-4,6e-4,1e-3 --cumsum sequential,stable\n  tpu-toolkit sweep ./experiment.mjs --lr 1e-4..1e-2:log --width 32,64 --search sobol --trials 32 --metric loss\n  tpu-toolkit sweep ./experiment.mjs --lr 1e-4..1e-2:log --search asha --trials 81 --min-steps 10 --max-steps 810 --metric loss --serve\n  tpu-toolkit sweep ./experiment.mjs --lr 1e-4,3e-4,1e-3 --queue postgres://me@db.example/runs',
    )
    .action(async (others: readonly string[], given: GivenSweep) => {
      const flags = command.options.flatMap(({ long }) => long?.slice(2) ?? [])
      exit(await run(await readSweep(given, others, flags), terminal))
    })
}

function gather(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

async function run(request: SweepRequest, terminal: Terminal): Promise<number> {
  const { out, json, plain } = request
  const report = openReport({ out, json, terminal })
  const path = join(out, 'rows.jsonl')
  const others = request.queue ? ', workers continue with the queue' : ''
  terminal.ifStopped?.(`finished runs are in ${path}${others}: the same command resumes`)
  let result: SweepResult
  try {
    result = await swept(request, path, terminal)
  } catch (thrown) {
    if (thrown instanceof TrialFailed) {
      const again = request.queue
        ? 'with --retry-failed the same command tries the others again'
        : 'the same command tries the others again'
      terminal.error(`sweep: ${thrown.message}; finished runs are in ${path}: ${again}\n`)
      return 1
    }
    if (thrown instanceof QueueFailed) {
      terminal.error(`sweep: ${thrown.message.replace(/^queueRunner: /, '')}\n`)
      return 1
    }
    if (thrown instanceof RangeError) throw new BadInput(thrown.message.replace(/^(sweep|queueRunner): /, ''))
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    throw new CannotWrite(`cannot write the results [${thrown.message.slice(0, 100)}]`)
  }
  if (plain) {
    const rows = result.rows.map(
      ({ trial, row }) => ({ options: trial.params, ...row }) as unknown as SweepRow,
    )
    if (json) terminal.out(jsonText({ note: calibrated, rows }))
    else printWrapped(terminal, `${sweepTable(rows, terminal.width)}\n`)
    report.write({ 'index.html': sweepPage(rows) })
  } else {
    if (json) terminal.out(jsonText(searchJson(request, result)))
    else printWrapped(terminal, `${searchText(request, result, terminal.width)}\n`)
    report.write({ 'index.html': searchPage(request, result) })
  }
  const tell = json ? terminal.error : terminal.out
  tell(`${result.rows.length} runs, in ${path}\n`)
  return 0
}

async function swept(request: SweepRequest, path: string, terminal: Terminal): Promise<SweepResult> {
  const { sweep, serve } = request
  const runner = await queued(request, terminal)
  const live = serve === undefined ? undefined : await serveSweep(request, serve)
  if (live) terminal.error(`The progress is at ${live.url}\n`)
  try {
    return await runSweep({
      ...sweep,
      ...(runner ? { runner } : {}),
      path,
      onHeld: live?.onHeld,
      onRow: (done, total, last) => {
        terminal.progress?.(done, total, `${done} of ${total} runs`)
        live?.onRow(done, total, last)
      },
      onReport: live?.onReport,
    })
  } finally {
    await runner?.close()
    await live?.close()
    // All of them, where the error that ends the sweep is of the first.
    for (const why of runner?.failed.values() ?? []) {
      terminal.error(`set aside, it failed 3 times: ${why}\n`)
    }
  }
}

/** What puts the runs into a database, where one is named. */
async function queued({ queue, sweep }: SweepRequest, terminal: Terminal): Promise<QueueRunner | undefined> {
  if (queue === undefined) return undefined
  const log = (text: string): void => terminal.error(`sweep: ${text}\n`)
  return queueRunner({ ...queue, experiment: sweep.experiment, log })
}
