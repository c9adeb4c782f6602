import { progressBar, writeReport } from 'tpu-toolkit/report'
import { end } from '../cli/parseCommand.js'
import type { Terminal } from '../cli/terminal.js'
import { formatsCsv, formatsJson } from './json.js'
import { type FormatsOptions, parseOptions } from './options.js'
import { formatsPage } from './page.js'
import { printed } from './print.js'
import { type FormatsResults, runFormats } from './run.js'
import { WeightsError } from './weights.js'

/** The whole command; returns the exit status: 0, 1 when the report cannot be written, 2 for a mistake in the options or the weights file. */
export function formatsCommand(args: readonly string[], terminal: Terminal): number {
  const parsed = parseOptions(args)
  if ('status' in parsed) return end(parsed, terminal)
  const { options } = parsed
  const results = measured(options, terminal)
  if (results === undefined) return 2
  terminal.out(options.json ? formatsJson(results) : printed(results))
  const files = {
    'index.html': formatsPage(results),
    'formats.json': formatsJson(results),
    'formats.csv': formatsCsv(results),
  }
  return writeReport(files, { command: 'bench:formats', json: options.json, out: options.out, terminal })
}

/** The results; undefined, and a line on standard error, where the weights file is at fault. */
function measured(options: FormatsOptions, { screen, error }: Terminal): FormatsResults | undefined {
  const bar = progressBar(screen)
  try {
    return runFormats(options, bar.show)
  } catch (thrown) {
    if (!(thrown instanceof WeightsError)) throw thrown
    error(`bench:formats: --weights ${options.weights}: ${thrown.message}\n`)
    return undefined
  } finally {
    bar.stop()
  }
}
