import { Command } from 'commander'
import { gallery } from '../../failures/index.js'
import {
  BadInput,
  jsonText,
  openReport,
  readName,
  readNumber,
  type Subcommand,
  say,
  type Terminal,
} from '../../io/index.js'
import { type DoctorCase, doctorCases } from './doctorCases.js'
import { doctorPage } from './doctorPage.js'
import { findingText } from './doctorText.js'
import { step2750Case } from './step2750Case.js'

interface Given {
  readonly json?: boolean
  readonly out: string
  readonly steps?: string
  readonly lr?: string
}

/**
 * `doctor`: where the bits of an experiment go, and the least set of operations to run wider. Exit status 0; 1 where a
 * target is not met, or where the report cannot be written; 2 for a mistake in the options.
 */
export const doctorCommand: Subcommand = (terminal, exit) =>
  new Command('doctor')
    .description(
      'Says where the bits of an experiment go, and finds the least set of operations to keep wide.',
    )
    .argument('<experiment>', names.join(', '))
    .option('--json', 'print one JSON object; numbers that are not finite are null')
    .option('--out <folder>', 'where the HTML report goes', 'reports/doctor')
    .option('--steps <n>', 'of step2750: steps of a trial; default 300')
    .option('--lr <rate>', 'of step2750: learning rate; default 0.00275, which puts the NaN near step 275')
    .addHelpText('after', '\nExamples:\n  tpu-toolkit doctor softmax\n  tpu-toolkit doctor step2750 --json')
    .action((name: string, given: Given) => {
      exit(run(chosen(name, given), given, terminal))
    })

const names = ['step2750', ...doctorCases.map(({ id }) => id)]

function chosen(name: string, { steps, lr }: Given): DoctorCase {
  if (name === 'step2750')
    return step2750Case({
      steps: steps === undefined ? undefined : readNumber('steps', steps),
      lr: lr === undefined ? undefined : readNumber('lr', lr),
    })
  const extra = steps === undefined ? (lr === undefined ? undefined : '--lr') : '--steps'
  if (extra) throw new BadInput(`${extra} is for step2750 [${name.slice(0, 50)}]`)
  const cure = gallery.find(({ id }) => id === name)?.cure
  if (cure && 'none' in cure) throw new BadInput(`no wider operation cures this: ${cure.none} [${name}]`)
  const known = readName('experiment', name, names)
  return doctorCases.find(({ id }) => id === known)!
}

function run({ id, title, examine }: DoctorCase, { json = false, out }: Given, terminal: Terminal): number {
  const report = openReport({ out, json, terminal })
  terminal.ifStopped?.('nothing is written yet')
  // How many trials there will be is not known before.
  const examined = examine((trial, count) =>
    terminal.progress?.(count, count + 10, `trial ${count}, ${trial.stage}`),
  )
  const { shadow, findings } = examined
  if (json) terminal.out(jsonText({ experiment: id, title, shadow: shadow.toJSON(), findings }))
  else
    say(
      terminal,
      [
        title,
        '',
        String(shadow),
        ...findings.flatMap((finding) => ['', findingText(finding, terminal.width)]),
        '',
      ].join('\n'),
    )
  report.write({ 'index.html': doctorPage({ id, title, ...examined }) })
  return findings.every(({ tuning }) => tuning.met) ? 0 : 1
}
