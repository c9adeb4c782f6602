import { Command } from 'commander'
import { progressBar, writeReport } from '../report/index.js'
import { BadInput } from './badInput.js'
import type { DoctorCase, Examined } from './doctorCase.js'
import { doctorCases, notByOperations } from './doctorCases.js'
import { doctorPage } from './doctorPage.js'
import { step2750Case } from './doctorStep2750.js'
import { findingText } from './doctorText.js'
import { jsonText } from './jsonText.js'
import type { Subcommand } from './subcommand.js'
import type { Terminal } from './terminal.js'

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
    .argument('<experiment>', `step2750, ${doctorCases.map(({ id }) => id).join(', ')}`)
    .option('--json', 'print one JSON object; numbers that are not finite are null')
    .option('--out <folder>', 'where the HTML report goes', 'reports/doctor')
    .option('--steps <n>', 'of step2750: steps of a trial; default 300')
    .option('--lr <rate>', 'of step2750: learning rate; default 0.00275, which puts the NaN near step 275')
    .addHelpText('after', '\nExamples:\n  tpu-toolkit doctor softmax\n  tpu-toolkit doctor step2750 --json')
    .action((name: string, given: Given) => {
      exit(run(chosen(name, given), given, terminal))
    })

function chosen(name: string, { steps, lr }: Given): DoctorCase {
  if (name === 'step2750') return step2750Case({ steps: number('steps', steps), lr: number('lr', lr) })
  const extra = steps === undefined ? (lr === undefined ? undefined : '--lr') : '--steps'
  if (extra) throw new BadInput(`${extra} is for step2750 [${name.slice(0, 50)}]`)
  const found = doctorCases.find(({ id }) => id === name)
  if (found) return found
  const reason = Object.hasOwn(notByOperations, name) ? notByOperations[name] : undefined
  if (reason !== undefined) throw new BadInput(`no wider operation cures this: ${reason} [${name}]`)
  const known = ['step2750', ...doctorCases.map(({ id }) => id)].join(', ')
  throw new BadInput(`unknown experiment, there are ${known} [${name.slice(0, 50)}]`)
}

function number(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value))
    throw new BadInput(`--${option} is not a number [${text.slice(0, 50)}]`)
  return value
}

function run({ id, title, examine }: DoctorCase, { json = false, out }: Given, terminal: Terminal): number {
  const bar = progressBar(terminal.screen)
  let examined: Examined
  try {
    // How many trials there will be is not known before.
    examined = {
      id,
      title,
      ...examine((trial, count) => bar.show(count, count + 10, `trial ${count}, ${trial.stage}`)),
    }
  } finally {
    bar.stop()
  }
  const { shadow, findings } = examined
  if (json) terminal.out(jsonText({ experiment: id, title, shadow: shadow.toJSON(), findings }))
  else
    terminal.out(
      [title, '', String(shadow), ...findings.flatMap((finding) => ['', findingText(finding)]), ''].join(
        '\n',
      ),
    )
  const files = { 'index.html': doctorPage(examined) }
  const status = writeReport(files, { command: 'doctor', json, out, terminal })
  return status === 0 && findings.every(({ tuning }) => tuning.met) ? 0 : 1
}
