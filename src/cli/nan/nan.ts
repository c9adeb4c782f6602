import { Command } from 'commander'
import {
  ablate,
  ablations,
  experiments,
  modelDTypes,
  runStep2750,
  type Step2750Record,
} from '../../experiments/step2750/index.js'
import { checkpointFile } from '../../experiments/step2750Files/index.js'
import { cumsums, forms } from '../../models/ssm/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { CannotWrite, openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { cureCount, runCures } from './nanCures.js'
import { ablationJson, ablationText, note, runJson, runText } from './nanOutput.js'
import { nanPage } from './nanPage.js'
import { type GivenNan, type NanRequest, readNan } from './nanRequest.js'

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
    .option('--zero-nans', 'after the clip, replace NaN gradients by 0 and continue')
    .option('--lr <rate>', 'learning rate; the default is calibrated for the experiment')
    .option('--steps <n>', 'maximum number of steps', '5000')
    .option('--seed <n>', 'seed of the random data', '1')
    .option('--length <n>', 'positions of a sequence; default: the length of the experiment')
    .option('--gap <step>', 'the long first step of experiment gap; default: 16')
    .option('--data <file>', 'read the data from a JSON file and the binary file it names')
    .option('--trace <n>', 'print a row every n steps', '250')
    .option('--json', 'print one JSON object: every loss, the recorded steps, the explanation')
    .option('--checkpoint <file>', 'save the run to a file and resume from it, with the same bits')
    .option('--checkpoint-every <n>', 'steps between two saves', '100')
    .option('--out <folder>', 'write the explanation as a page; also runs the remedies')
    .option('--ablate', 'run the table of forms, running sums and dtypes: 18 runs, a minute or two')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit nan\n  tpu-toolkit nan --cumsum stable\n  tpu-toolkit nan --form segsum --json\n  tpu-toolkit nan --out reports/nan\n  tpu-toolkit nan --ablate',
    )
    .action((given: GivenNan, command: Command) => {
      const request = readNan(given, (option) => command.getOptionValueSource(option) === 'cli')
      exit(request.ablate ? runTable(request, terminal) : runOnce(request, terminal))
    })

function runOnce(request: NanRequest, terminal: Terminal): number {
  const rows: Step2750Record[] = []
  const steps = request.options.steps ?? 0
  const { checkpoint, checkpointEvery, out, json } = request
  const report = out === undefined ? undefined : openReport({ out, json, terminal })
  const total = report ? (1 + cureCount) * steps : steps
  terminal.ifStopped?.(
    checkpoint === undefined
      ? 'nothing is saved: use --checkpoint <file> to be able to resume'
      : `up to ${checkpointEvery} steps before, the run is saved in ${checkpoint}: the same command resumes from there`,
  )
  try {
    const result = mistakesAsBadInput('step2750', () =>
      runStep2750(request.options, {
        ...(request.data ? { data: request.data } : {}),
        ...(checkpoint === undefined ? {} : { checkpoint: checkpointFile(checkpoint) }),
        checkpointEvery,
        onStep: (step, record) => {
          if (step % request.trace === 0) rows.push(record())
          terminal.progress?.(step, total, `step ${step}`)
        },
      }),
    )
    if (request.json) {
      terminal.out(runJson(result, request))
    } else {
      printWrapped(terminal, runText(result, rows, request, terminal.width), {
        bold: [result.explanation.text.split('\n')[0]!],
      })
    }
    if (report) {
      terminal.ifStopped?.('the page is not written yet')
      const cures = runCures(request.options, request.data, (cure, step, name) =>
        terminal.progress?.((1 + cure) * steps + step, total, `${name}, step ${step}`),
      )
      report.write({ 'index.html': nanPage(result, cures, note(request)) })
    }
    return 0
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown
    throw new CannotWrite(`cannot write the checkpoint [${thrown.message.slice(0, 100)}]`)
  }
}

function runTable(request: NanRequest, terminal: Terminal): number {
  const steps = request.options.steps ?? 0
  terminal.ifStopped?.('nothing of the table is kept')
  const rows = mistakesAsBadInput('step2750', () =>
    ablate(request.options, {
      ...(request.data ? { data: request.data } : {}),
      onStep: (row, step) =>
        terminal.progress?.(row * steps + step, ablations.length * steps, ablations[row]!.name),
    }),
  )
  if (request.json) terminal.out(ablationJson(rows, request))
  else printWrapped(terminal, ablationText(rows, request, terminal.width))
  return 0
}

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).syscall === 'string'
}
