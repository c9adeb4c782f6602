import { Command } from 'commander'
import { gallery } from '../../experiments/failures/index.js'
import { BadInput } from '../io/badInput.js'
import { openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readNames } from '../io/readNames.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { exhibit } from './exhibit.js'
import { galleryJson } from './galleryJson.js'
import { galleryMarkdown } from './galleryMarkdown.js'
import { galleryPage } from './galleryPage.js'
import { galleryTable } from './galleryTable.js'

interface Given {
  readonly only?: string
  readonly json?: boolean
  readonly docs?: boolean
  readonly out: string
}

/**
 * `gallery`: runs the failures, prints a table and writes an HTML report. Exit status 0; 1 when a verdict does not hold,
 * when a repair does not repair, or when the report cannot be written; 2 for a mistake in the options.
 */
export const galleryCommand: Subcommand = (terminal, exit) =>
  new Command('gallery')
    .description(
      'Runs the gallery of low-precision failures: a table, and an HTML report with a plot of each.',
    )
    .option('--only <ids>', 'ids of failures, separated by commas')
    .option('--json', 'print one JSON object instead of the table; numbers that are not finite are null')
    .option('--docs', 'print the documentation page instead of the table, write no report')
    .option('--out <folder>', 'folder of the report', 'reports/gallery')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit gallery\n  tpu-toolkit gallery --only ones-stall,ema-stall --json',
    )
    .action((given: Given) => {
      exit(run(given, terminal))
    })

function run(given: Given, terminal: Terminal): number {
  if (given.json && given.docs) throw new BadInput('--json and --docs exclude each other')
  const failures = chosen(given.only)
  const report = given.docs ? undefined : openReport({ ...given, terminal })
  terminal.ifStopped?.('nothing is written yet; --only takes some of the failures')
  const exhibits = failures.map((failure, i) => {
    terminal.progress?.(i, failures.length, failure.id)
    return exhibit(failure)
  })
  if (given.docs) {
    terminal.out(galleryMarkdown(exhibits))
  } else if (given.json) {
    terminal.out(galleryJson(exhibits))
  } else {
    printWrapped(terminal, `${galleryTable(exhibits, terminal.width)}\n`, {
      red: ['does not hold'],
      green: ['holds'],
    })
  }
  report?.write({ 'index.html': galleryPage(exhibits) })
  const sound = exhibits.every(
    ({ run, repaired }) => run.verdict.holds && repaired.every((r) => !r.run.verdict.holds),
  )
  return sound ? 0 : 1
}

function chosen(only: string | undefined): typeof gallery {
  if (only === undefined) return gallery
  const ids = readNames(
    'failure',
    only,
    gallery.map(({ id }) => id),
  )
  return gallery.filter(({ id }) => ids.includes(id))
}
