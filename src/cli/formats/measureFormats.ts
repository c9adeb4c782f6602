import { openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Terminal } from '../io/terminal.js'
import { formatsCsv, formatsJson } from './formatsJson.js'
import { type GivenFormats, readFormatsOptions } from './formatsOptions.js'
import { formatsPage } from './formatsPage.js'
import { printed } from './formatsText.js'
import { runFormats } from './runFormats.js'

/** `formats --measure`: what each format and block scheme makes of numbers, in tables and a report. */
export function measureFormats(given: GivenFormats, terminal: Terminal): void {
  const options = readFormatsOptions(given)
  const report = openReport({ out: given.out ?? 'reports/formats', json: given.json, terminal })
  terminal.ifStopped?.('nothing is written yet; --only and --data make it shorter')
  const results = runFormats(options, terminal.progress)
  if (given.json) terminal.out(formatsJson(results))
  else printWrapped(terminal, printed(results, terminal.width), { bold: [results.finding] })
  report.write({
    'index.html': formatsPage(results),
    'formats.json': formatsJson(results),
    'formats.csv': formatsCsv(results),
  })
}
