import { Command } from 'commander'
import { type AuditOptions, auditConfig, auditText, getTshirt } from '../../planning/mxu/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readName } from '../io/readNames.js'
import { readCount } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import { auditPage } from './auditPage.js'

interface Given {
  readonly dModel?: string
  readonly layers?: string
  readonly heads?: string
  readonly expand?: string
  readonly state?: string
  readonly vocabulary?: string
  readonly batch?: string
  readonly sequence?: string
  readonly slice: string
  readonly params: string
  readonly remat: string
  readonly json?: boolean
  readonly out?: string
}

/** `audit`: a Mamba-like configuration compared with the hardware. Exit status 1 where something is an error. */
export const auditCommand: Subcommand = (terminal, exit) =>
  new Command('audit')
    .description(
      "Audits a configuration for a slice: alignment, parameters, memory; the Python toolkit's report, corrected.",
    )
    .argument('[size]', 'S, M, L or XL of the Python toolkit; or give --d-model and --layers')
    .option('--d-model <n>', 'width of the residual stream')
    .option('--layers <n>', 'layers')
    .option('--heads <n>', 'number of heads, default heads of 128 over the inner width')
    .option('--expand <n>', 'inner width over d_model, default 2')
    .option('--state <n>', 'state per channel, default 128')
    .option('--vocabulary <n>', 'tokens, default 50288')
    .option('--batch <n>', 'sequences on all chips together, default one per device')
    .option('--sequence <n>', 'tokens of a sequence, default 2048')
    .option('--slice <name>', 'v5p-8, v6e-16 ...', 'v5p-8')
    .option('--params <dtype>', 'float32 or bfloat16', 'float32')
    .option('--remat <policy>', 'everything, dots or block', 'block')
    .option('--json', 'print one JSON object')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit audit M\n  tpu-toolkit audit --d-model 1536 --layers 24 --heads 32 --slice v6e-16',
    )
    .action((size: string | undefined, given: Given) => {
      const options = readOptions(size, given)
      const report = openReportFile({ ...given, terminal })
      const audit = mistakesAsBadInput('auditConfig', () => auditConfig(options))
      if (given.json) {
        terminal.out(jsonText(audit))
      } else {
        printWrapped(terminal, `${auditText(audit)}\n`, {
          red: ['error'],
          yellow: ['warning'],
          green: ['ok'],
        })
      }
      report?.write(auditPage(audit))
      exit(audit.findings.some(({ verdict }) => verdict === 'error') ? 1 : 0)
    })

function readOptions(size: string | undefined, given: Given): AuditOptions {
  const shape = size === undefined ? undefined : getTshirt(readName('size', size, ['S', 'M', 'L', 'XL']))
  const optional = {
    nHeads: ['heads', given.heads],
    expand: ['expand', given.expand],
    dState: ['state', given.state],
    vocabulary: ['vocabulary', given.vocabulary],
    batch: ['batch', given.batch],
    sequence: ['sequence', given.sequence],
  } as const
  const counts = Object.entries(optional).flatMap(([name, [option, text]]) =>
    text === undefined ? [] : [[name, readCount(option, text, 1)] as const],
  )
  return {
    dModel:
      given.dModel === undefined
        ? (shape?.dModel ?? readCount('d-model', '', 1))
        : readCount('d-model', given.dModel, 1),
    nLayers:
      given.layers === undefined
        ? (shape?.nLayers ?? readCount('layers', '', 1))
        : readCount('layers', given.layers, 1),
    ...Object.fromEntries(counts),
    slice: given.slice,
    paramsDtype: readName('dtype', given.params, ['float32', 'bfloat16']),
    remat: readName('policy', given.remat, ['everything', 'dots', 'block']),
  }
}
