import { Command } from 'commander'
import { chip } from '../../planning/hardware/index.js'
import { diagnose, readRun } from '../../training/profile/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import { diagnosePage } from './diagnosePage.js'
import { diagnoseText } from './diagnoseText.js'

interface Given {
  readonly chip?: string
  readonly env?: boolean
  readonly json?: boolean
  readonly out?: string
}

/** `diagnose`: what is wrong with a run, from its folder. Exit status 1 where something is critical. */
export const diagnoseCommand: Subcommand = (terminal, exit) =>
  new Command('diagnose')
    .description(
      'What is wrong with a run, from what it left in its folder: NaN, updates that round away, time spent waiting, programs recorded again and again, checkpoints, flags; each with what was seen and what to do.',
    )
    .argument(
      '<folder>',
      'with the lines of jsonLines, checkpoints, and a trace of profile, as far as there are such',
    )
    .option('--chip <name>', 'the generation whose matrix unit and flags count; default v5e for sizes')
    .option('--env', 'hold LIBTPU_INIT_ARGS and XLA_FLAGS as they are set here against the known flags')
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nThe exit status is 1 where something is critical.\n\nExamples:\n  tpu-toolkit diagnose runs/bf16\n  tpu-toolkit diagnose runs/bf16 --chip v5p --env --out report.html\n  tpu-toolkit diagnose runs/bf16 --json',
    )
    .action((folder: string, given: Given) => {
      const name = given.chip
      const generation = name === undefined ? undefined : mistakesAsBadInput('chip', () => chip(name).name)
      const report = openReportFile({ ...given, terminal })
      const run = mistakesAsBadInput('readRun', () => readRun(folder))
      const output = {
        ...run,
        ...(generation === undefined ? {} : { chip: generation }),
        ...(given.env ? { environment: process.env } : {}),
      }
      const diagnosis = mistakesAsBadInput('diagnose', () => diagnose(output))
      if (given.json) terminal.out(jsonText({ folder, ...diagnosis }))
      else printWrapped(terminal, `${diagnoseText(diagnosis, terminal.width)}\n`)
      report?.write(diagnosePage(folder, diagnosis, output))
      exit(diagnosis.problems.some(({ severity }) => severity === 'critical') ? 1 : 0)
    })
