import { Command } from 'commander'
import { chip } from '../../planning/hardware/index.js'
import { diagnose, readRun } from '../../training/profile/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import { diagnosePage } from './diagnosePage.js'
import { diagnoseText, verdictOf } from './diagnoseText.js'

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
      'Lists the problems of a run from the files in its folder: NaN, updates that round away, waiting times, repeated recording of programs, checkpoints, flags; each with its evidence and a remedy.',
    )
    .argument('<folder>', 'folder with lines of jsonLines, checkpoints or a trace of profile')
    .option('--chip <name>', 'TPU generation for matrix unit and flags; default v5e for sizes')
    .option('--env', 'check LIBTPU_INIT_ARGS and XLA_FLAGS of this environment against the known flags')
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nThe exit status is 1 if a problem is critical.\n\nExamples:\n  tpu-toolkit diagnose runs/bf16\n  tpu-toolkit diagnose runs/bf16 --chip v5p --env --out report.html\n  tpu-toolkit diagnose runs/bf16 --json',
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
      if (given.json) {
        terminal.out(jsonText({ folder, ...diagnosis }))
      } else {
        printWrapped(terminal, `${diagnoseText(diagnosis, terminal.width)}\n`, {
          ...{ bold: [verdictOf(diagnosis)], red: ['critical'], yellow: ['warning'] },
        })
      }
      report?.write(diagnosePage(folder, diagnosis, output))
      exit(diagnosis.problems.some(({ severity }) => severity === 'critical') ? 1 : 0)
    })
