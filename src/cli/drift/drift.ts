import { Command } from 'commander'
import { earthquakeGaps, flightGaps } from '../../experiments/data/index.js'
import {
  type DriftResults,
  longestLength,
  type RecordedGaps,
  runDrift,
} from '../../experiments/drift/index.js'
import { formatNames } from '../../numbers/formats/index.js'
import type { Emphasis } from '../io/emphasized.js'
import { openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import { driftCsv, driftJson } from './driftJson.js'
import { type GivenDrift, operationNames, readDriftOptions } from './driftOptions.js'
import { driftPage } from './driftPage.js'
import { findingsText, printed } from './driftText.js'

/** `drift`: how far low-precision results drift from float64. Exit status 0; 1 when the report cannot be written. */
export const driftCommand: Subcommand = (terminal) =>
  new Command('drift')
    .description(
      'Measures the drift of low-precision results from float64, for naive and stable algorithms, on recorded and synthetic inputs.',
    )
    .option('--only <ops>', `operations, separated by commas: ${operationNames.join(', ')}`)
    .option(
      '--length <lengths>',
      `lengths, separated by commas, each 2 ... ${longestLength}: sequence lengths, training steps, replicas (default: depends on the operation, up to 65536)`,
    )
    .option('--dtype <format>', `number format: ${formatNames.join(', ')}`, 'bfloat16')
    .option(
      '--seed <integer>',
      'seed of the random inputs, 0 ... 4294967295; the same seed gives the same bytes',
      '0',
    )
    .option('--all', 'print the table of every operation below its finding')
    .option('--json', 'print one JSON object on standard output, and nothing else')
    .option('--out <folder>', 'folder of index.html, drift.json and drift.csv', 'reports/drift')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit drift\n  tpu-toolkit drift --only cumsum,ema --all --length 256,4096 --dtype float8_e4m3fn',
    )
    .action((given: GivenDrift) => {
      const options = readDriftOptions(given)
      const report = openReport({ ...given, terminal })
      terminal.ifStopped?.('nothing is written yet; --only and --length make it shorter')
      const count = options.ops?.length ?? operationNames.length
      terminal.error(`drift: measuring ${count} operation${count === 1 ? '' : 's'}\n`)
      const results = runDrift({
        ...options,
        recorded,
        ...(terminal.progress && { progress: terminal.progress }),
      })
      if (given.json) terminal.out(driftJson(results))
      else printWrapped(terminal, text(results, given, terminal.width), emphasisOf(results))
      report.write({
        'index.html': driftPage(results),
        'drift.json': driftJson(results),
        'drift.csv': driftCsv(results),
      })
    })

function text(results: DriftResults, { all, length }: GivenDrift, width: number | undefined): string {
  return all ? printed(results, length !== undefined, width) : findingsText(results)
}

function emphasisOf({ ops }: DriftResults): Emphasis {
  return { bold: ops.flatMap(({ operation, finding }) => [operation.title, finding]) }
}

const recorded: readonly RecordedGaps[] = [
  { name: 'earthquakes', what: 'earthquakes (USGS, one week)', gaps: earthquakeGaps },
  { name: 'flights', what: 'departures (US flights, sampled, three months)', gaps: flightGaps },
]
