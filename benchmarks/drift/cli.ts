import { progressBar } from 'tpu-toolkit/report'
import { end } from '../cli/parseCommand.js'
import type { Terminal } from '../cli/terminal.js'
import { writeReport } from '../cli/writeReport.js'
import { driftCsv, driftJson } from './json.js'
import { parseOptions } from './options.js'
import { driftPage } from './page.js'
import { printed } from './print.js'
import { runDrift } from './run.js'

/** The whole command; returns the exit status: 0, 1 when the report cannot be written, 2 for a mistake in the options. */
export function driftCommand(args: readonly string[], terminal: Terminal): number {
  const parsed = parseOptions(args)
  if ('status' in parsed) return end(parsed, terminal)
  const { options } = parsed
  const bar = progressBar(terminal.screen)
  const results = runDrift(options, bar.show)
  bar.stop()
  terminal.out(options.json ? driftJson(results) : printed(results, options.lengths !== undefined))
  const files = {
    'index.html': driftPage(results),
    'drift.json': driftJson(results),
    'drift.csv': driftCsv(results),
  }
  return writeReport('bench:drift', options, files, terminal)
}
