import { Command } from 'commander'
import { gallery } from '../../experiments/failures/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readName } from '../io/readNames.js'
import { readNumber } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { isProgramPath, type ProgramFlags } from '../programs/openProgram.js'
import { programOptions } from '../programs/programOptions.js'
import { type DoctorCase, doctorCases } from './doctorCases.js'
import { doctorPage } from './doctorPage.js'
import { doctorReport } from './doctorReport.js'
import { keptTrials } from './keptTrials.js'
import { isModulePath, type ModuleExamined, moduleCase } from './moduleCase.js'
import { programCase } from './programCase.js'
import { step2750Case } from './step2750Case.js'
import { outputVerdicts } from './verdict.js'

interface Given extends ProgramFlags {
  readonly json?: boolean
  readonly out: string
  readonly steps?: string
  readonly lr?: string
  readonly ignore: readonly string[]
  readonly resume?: boolean
}

/**
 * `doctor`: where the bits of an experiment go, and the least set of operations to run wider. Exit status 0; 1 where a
 * target is not met, or where the report cannot be written; 2 for a mistake in the options.
 */
export const doctorCommand: Subcommand = (terminal, exit) =>
  programOptions(new Command('doctor'), 'of a program: ')
    .description(
      'Shows where an experiment loses bits, and finds the smallest set of operations to keep wide.',
    )
    .argument(
      '<experiment>',
      `${names.join(', ')}; or your module, ./step.mjs; or a program of JAX or PyTorch, step.mlir, model.onnx`,
    )
    .option('--json', 'print one JSON object; numbers that are not finite are null')
    .option('--out <folder>', 'folder of the HTML report', 'reports/doctor')
    .option(
      '--ignore <line>',
      'exclude a source line (model.mjs:12) or a file from the report; may be repeated',
      (line: string, lines: readonly string[]) => [...lines, line],
      [],
    )
    .option('--resume', 'resume a stopped search from the trials saved in the folder')
    .option('--steps <n>', 'step2750: steps of a trial; default 300')
    .option('--lr <rate>', 'step2750: learning rate; default 0.00275, for a NaN near step 275')
    .addHelpText('after', help)
    .action(async (name: string, given: Given) => {
      exit(run(await chosen(name, given), given, terminal))
    })

const help = `
A module exports f, a function of tensors, and inputs (optionally target, as for tune), or step, a training step, and args, the
list of its arguments (also lossAndGrad, if the step is not one of makeTrainStep). inputs and args may be functions. A comment
"doctor: ignore" excludes its line from the report.
A program is StableHLO text, jax.jit(step).lower(*args).as_text(debug_info=True), or an ONNX model; its source lines are Python lines.

Examples:
  tpu-toolkit doctor softmax
  tpu-toolkit doctor step2750 --json
  tpu-toolkit doctor ./step.mjs --ignore step.mjs:12
  tpu-toolkit doctor step.mlir --inputs step.safetensors
  tpu-toolkit doctor step.mlir --random 0`

const names = ['step2750', ...doctorCases.map(({ id }) => id)]

async function chosen(name: string, given: Given): Promise<DoctorCase> {
  const { steps, lr, ignore } = given
  const isProgram = isProgramPath(name)
  const foreign = (['inputs', 'random', 'function', 'dot', 'reduce'] as const).find(
    (key) => given[key] !== undefined,
  )
  if (foreign && !isProgram) {
    throw new BadInput(`--${foreign} is for a program, a .mlir file [${name.slice(0, 50)}]`)
  }
  if (name === 'step2750') {
    return step2750Case({
      steps: steps === undefined ? undefined : readNumber('steps', steps),
      lr: lr === undefined ? undefined : readNumber('lr', lr),
    })
  }
  const extra = steps === undefined ? (lr === undefined ? undefined : '--lr') : '--steps'
  if (extra) throw new BadInput(`${extra} is for step2750 [${name.slice(0, 50)}]`)
  if (isProgram) return programCase(name, given, ignore)
  if (isModulePath(name)) return moduleCase(name, ignore)
  const cure = gallery.find(({ id }) => id === name)?.cure
  if (cure && 'none' in cure) throw new BadInput(`no wider operation cures this: ${cure.none} [${name}]`)
  const known = readName('experiment', name, names)
  return doctorCases.find(({ id }) => id === known)!
}

function run(
  { id, title, ignore, notes = [], footnotes, examine }: DoctorCase,
  { json = false, out, ignore: asked, resume = false }: Given,
  terminal: Terminal,
): number {
  const report = openReport({ out, json, terminal })
  const kept = keptTrials(out, title, resume)
  terminal.ifStopped?.('nothing is written yet')
  // How many trials there will be is not known before.
  const examined: ModuleExamined = examine((trial, count) => {
    kept.keep(trial, count)
    terminal.ifStopped?.(`${kept.count()} trials are saved: resume by the same command with --resume`)
    terminal.progress?.(count, count + 10, `trial ${count}, ${trial.stage}`)
  }, kept.earlier)
  const { shadow, ...found } = examined
  const how = { ignore: ignore ?? asked, width: terminal.width }
  if (json) {
    terminal.out(
      jsonText({
        experiment: id,
        title,
        ...(notes.length > 0 && { notes }),
        shadow: shadow.toJSON(),
        ...found,
      }),
    )
  } else {
    const text = [
      [title, ...notes].join('\n'),
      doctorReport(title, examined, how).slice(title.length + 1),
    ].join('\n')
    const below = footnotes?.(text) ?? []
    printWrapped(terminal, `${text}${below.length > 0 ? `\n\n${below.join('\n')}` : ''}\n`, {
      bold: [title, ...outputVerdicts(examined)],
      ...{ red: ['not met'], green: ['met with', 'met as it is'] },
    })
  }
  kept.end()
  report.write({ 'index.html': doctorPage({ id, title, ...how, ...examined }) })
  return examined.findings.every(({ tuning }) => tuning.met) ? 0 : 1
}
