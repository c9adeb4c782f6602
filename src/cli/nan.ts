import { Command } from 'commander'
import { progressBar } from '../report/index.js'
import { cumsums, forms } from '../ssm/index.js'
import {
  ablate,
  ablations,
  experiments,
  modelDTypes,
  runStep2750,
  type Step2750Record,
} from '../step2750/index.js'
import { ablationJson, ablationText, runJson, runText } from './nanOutput.js'
import { type GivenNan, mistakesAsBadInput, type NanRequest, readNan } from './nanRequest.js'
import type { Subcommand } from './subcommand.js'
import type { Terminal } from './terminal.js'

/**
 * `nan`: runs the step-2750 experiment and explains how it ends. Exit status 0, also where the run becomes NaN: that is
 * its subject; 1 when the checkpoint cannot be written; 2 for options, data or a checkpoint that cannot be taken.
 */
export const nanCommand: Subcommand = (terminal, exit) =>
  new Command('nan')
    .description(
      'Trains the state-space layer of the step-2750 experiment until it breaks, and explains why from its numbers.',
    )
    .option('--experiment <name>', Object.keys(experiments).join(', '), 'gap')
    .option('--form <name>', Object.keys(forms).join(', '), 'factorized')
    .option('--cumsum <name>', Object.keys(cumsums).join(', '), 'sequential')
    .option('--dtype <name>', modelDTypes.join(', '), 'bfloat16')
    .option('--broadcast-sum <name>', "gradients of broadcasts: 'float32', or XLA's 'windowed-32'", 'float32')
    .option('--zero-nans', 'replace NaN gradients by 0 behind the clip, and go on')
    .option('--lr <rate>', 'learning rate; the default is calibrated for the experiment')
    .option('--steps <n>', 'steps at most', '5000')
    .option('--seed <n>', 'of the data that are drawn', '1')
    .option('--length <n>', 'positions of a sequence; default: that of the experiment')
    .option('--gap <step>', 'the long first step of experiment gap; default: 16')
    .option('--data <file>', 'read the data from a JSON file and the binary file it names')
    .option('--trace <n>', 'print a row every n steps', '250')
    .option('--json', 'print one JSON object: every loss, the recorded steps, the explanation')
    .option('--checkpoint <file>', 'keep the run in a file and go on from it, with the same bits')
    .option('--checkpoint-every <n>', 'steps between two writings of it', '100')
    .option('--ablate', 'run the table of forms, running sums and dtypes: 18 runs, a minute or two')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit nan\n  tpu-toolkit nan --cumsum stable\n  tpu-toolkit nan --form segsum --json\n  tpu-toolkit nan --ablate',
    )
    .action((given: GivenNan, command: Command) => {
      const request = readNan(given, (option) => command.getOptionValueSource(option) === 'cli')
      exit(request.ablate ? runTable(request, terminal) : runOnce(request, terminal))
    })

function runOnce(request: NanRequest, terminal: Terminal): number {
  const bar = progressBar(terminal.screen)
  const rows: Step2750Record[] = []
  const steps = request.options.steps ?? 0
  try {
    const result = mistakesAsBadInput(() =>
      runStep2750(request.options, {
        ...(request.data ? { data: request.data } : {}),
        ...(request.checkpoint !== undefined ? { checkpoint: request.checkpoint } : {}),
        checkpointEvery: request.checkpointEvery,
        onStep: (step, record) => {
          if (step % request.trace === 0) rows.push(record())
          bar.show(step, steps, `step ${step}`)
        },
      }),
    )
    bar.stop()
    terminal.out(request.json ? runJson(result, request) : runText(result, rows, request))
    return 0
  } catch (thrown) {
    bar.stop()
    if (!isSystemError(thrown)) throw thrown
    terminal.error(`nan: cannot write the checkpoint [${thrown.message.slice(0, 100)}]\n`)
    return 1
  }
}

function runTable(request: NanRequest, terminal: Terminal): number {
  const bar = progressBar(terminal.screen)
  const steps = request.options.steps ?? 0
  try {
    const rows = mistakesAsBadInput(() =>
      ablate(request.options, {
        ...(request.data ? { data: request.data } : {}),
        onStep: (row, step) => bar.show(row * steps + step, ablations.length * steps, ablations[row]!.name),
      }),
    )
    bar.stop()
    terminal.out(request.json ? ablationJson(rows, request) : ablationText(rows, request))
    return 0
  } finally {
    bar.stop()
  }
}

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).syscall === 'string'
}
