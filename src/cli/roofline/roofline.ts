import { Command } from 'commander'
import { percentText, secondsText } from '../../base/text/index.js'
import { chip } from '../../planning/hardware/index.js'
import {
  criticalIntensity,
  type OperationRow,
  operationBounds,
  rooflineSvg,
} from '../../planning/roofline/index.js'
import { type Column, htmlPage, htmlTable, textTable } from '../../report/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readName } from '../io/readNames.js'
import { readCount } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import { modelHelp, readModel } from '../planning/readModel.js'

interface Given {
  readonly chip: string
  readonly batch: string
  readonly sequence: string
  readonly context?: string
  readonly pass: string
  readonly json?: boolean
  readonly out?: string
}

/** `roofline`: what bounds each operation of a model on one chip. */
export const rooflineCommand: Subcommand = (terminal) =>
  new Command('roofline')
    .description(
      'Shows what bounds each operation of a model on one chip: FLOPs, bytes, intensity, time; draws a plot with --out.',
    )
    .argument('<model>', modelHelp)
    .option('--chip <name>', 'v5e, v5p, v6e ...', 'v5e')
    .option('--batch <n>', 'sequences on the chip', '1')
    .option('--sequence <n>', 'tokens processed of each sequence, 1 when decoding', '2048')
    .option('--context <n>', 'tokens that each token attends to, default the sequence')
    .option('--pass <which>', 'forward or both', 'both')
    .option('--json', 'print one JSON object')
    .option('--out <file>', 'write an HTML page with the plot')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit roofline llama3-8b\n  tpu-toolkit roofline llama3-8b --chip v6e --sequence 1 --context 8192 --batch 64 --pass forward',
    )
    .action((text: string, given: Given) => {
      const report = openReportFile({ ...given, terminal })
      const sizes = {
        batch: readCount('batch', given.batch, 1),
        sequence: readCount('sequence', given.sequence, 1),
        ...(given.context === undefined ? {} : { context: readCount('context', given.context, 1) }),
      }
      const pass = readName('pass', given.pass, ['forward', 'both'])
      const { made, rows } = mistakesAsBadInput('', () => {
        const found = chip(given.chip)
        return { made: found, rows: operationBounds(readModel(text), { chip: found.name, pass, ...sizes }) }
      })
      const critical = criticalIntensity(made)
      const [seconds, bound] = [sum(rows.map((row) => row.seconds)), byBound(rows)]
      const summary = `${made.name}: bound by compute from ${critical.toFixed(0)} FLOPs per byte on. ${secondsText(seconds)} at peak rates, ${secondsText(bound.hbm)} of them bound by HBM.`
      if (given.json) {
        terminal.out(jsonText({ model: text, chip: made.name, critical, seconds, operations: rows }))
      } else {
        printWrapped(terminal, `${textTable(columns, rows, { width: terminal.width })}\n\n${summary}\n`)
      }
      report?.write(
        htmlPage({
          title: `Roofline of ${text} on ${made.name}`,
          lead: summary,
          sections: [
            {
              id: 'roofline',
              title: 'Roofline',
              finding: longestText(rows),
              figures: [
                {
                  svg: rooflineSvg(rows, made.name),
                  caption: 'Operations under the roof; orange ones are bound by HBM.',
                },
              ],
            },
            {
              ...{ id: 'operations', title: 'Operations' },
              details: [{ summary: `All ${rows.length} operations`, html: htmlTable(columns, rows) }],
            },
          ],
        }),
      )
    })

const columns: readonly Column<OperationRow>[] = [
  { key: 'name', header: 'operation' },
  { key: 'pass' },
  { key: 'copies' },
  { key: 'GFLOP', of: ({ flops }) => flops / 1e9 },
  { key: 'MB', of: ({ bytes }) => bytes / 1e6 },
  { key: 'intensity', header: 'FLOP/byte' },
  { key: 'time', align: 'right', of: ({ seconds }) => secondsText(seconds) },
  { key: 'boundBy', header: 'bound by' },
]

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The operation that takes longest, and what bounds it, in a sentence. */
function longestText(rows: readonly OperationRow[]): string {
  const longest = rows.reduce((a, b) => (b.seconds > a.seconds ? b : a))
  const share = longest.seconds / sum(rows.map(({ seconds }) => seconds))
  return `The longest is ${longest.name}, ${longest.pass}: ${secondsText(longest.seconds)}, ${percentText(share)} of the time, bound by ${longest.boundBy === 'hbm' ? 'HBM' : longest.boundBy}.`
}

function byBound(rows: readonly OperationRow[]): { readonly hbm: number } {
  return { hbm: sum(rows.filter(({ boundBy }) => boundBy === 'hbm').map(({ seconds }) => seconds)) }
}
