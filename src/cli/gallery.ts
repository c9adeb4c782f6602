import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { gallery } from '../failures/index.js'
import { BadInput } from './badInput.js'
import { type Exhibit, exhibit } from './exhibit.js'
import { galleryJson } from './galleryJson.js'
import { galleryMarkdown } from './galleryMarkdown.js'
import { galleryPage } from './galleryPage.js'
import { galleryTable } from './galleryTable.js'
import type { Subcommand } from './subcommand.js'
import type { Terminal } from './terminal.js'

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
    .option('--only <ids>', 'these failures only, separated by commas')
    .option('--json', 'print one JSON object instead of the table; numbers that are not finite are null')
    .option('--docs', 'print the page of the documentation instead of the table, write no report')
    .option('--out <folder>', 'where the report goes', 'reports/gallery')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit gallery\n  tpu-toolkit gallery --only ones-stall,ema-stall --json',
    )
    .action((given: Given) => {
      exit(run(given, terminal))
    })

function run(given: Given, terminal: Terminal): number {
  if (given.json && given.docs) throw new BadInput('--json and --docs exclude each other')
  const exhibits = chosen(given.only).map((failure) => exhibit(failure))
  if (given.docs) terminal.out(galleryMarkdown(exhibits))
  else terminal.out(given.json ? galleryJson(exhibits) : `${galleryTable(exhibits)}\n`)
  const sound = exhibits.every(
    ({ run, repaired }) => run.verdict.holds && repaired.every((r) => !r.run.verdict.holds),
  )
  const written = given.docs || writePage(given, exhibits, terminal)
  return sound && written ? 0 : 1
}

function chosen(only: string | undefined): typeof gallery {
  if (only === undefined) return gallery
  const asked = only.split(',').map((id) => id.trim())
  const ids = gallery.map(({ id }) => id)
  const unknown = asked.filter((id) => !ids.includes(id))
  if (unknown.length > 0)
    throw new BadInput(`unknown failure [${unknown.join(', ').slice(0, 50)}], there are ${ids.join(', ')}`)
  return gallery.filter(({ id }) => asked.includes(id))
}

/** Writes the page and says where it is; false where that fails. */
function writePage({ out, json }: Given, exhibits: readonly Exhibit[], terminal: Terminal): boolean {
  const path = join(out, 'index.html')
  try {
    mkdirSync(out, { recursive: true })
    writeFileSync(path, galleryPage(exhibits))
  } catch (thrown) {
    terminal.error(
      `gallery: cannot write the report [${thrown instanceof Error ? thrown.message : thrown}]\n`,
    )
    return false
  }
  const say = json ? terminal.error : terminal.out
  say(`${json ? '' : '\n'}Written: ${path}\n`)
  return true
}
