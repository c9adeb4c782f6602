import { basename } from 'node:path'
import { Command } from 'commander'
import { terminalText } from '../../base/text/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readNumber } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { type QuantizeResults, quantizeFile } from './quantizeFile.js'
import { quantizeFinding } from './quantizeFinding.js'
import { quantizePage } from './quantizePage.js'
import { quantizeTable } from './quantizeTable.js'
import { readWays, wayNames } from './readWays.js'

interface Given {
  readonly format?: string
  readonly all?: boolean
  readonly way?: string
  readonly axis?: string
  readonly json?: boolean
  readonly out?: string
}

/** Prints the tables, and last, where a reader looks first, which way to take. */
function printQuantized(results: QuantizeResults, terminal: Terminal): void {
  const finding = quantizeFinding(results)
  const text = `${quantizeTable(results, terminal.width)}\n\n${finding}\n`
  printWrapped(terminal, text, { bold: [finding] })
}

/**
 * `quantize`: what formats and block schemes make of the tensors of a safetensors or GGUF file, which is read in a stream. Exit
 * status 0; 1 when the page cannot be written; 2 for options or a file that cannot be taken.
 */
export const quantizeCommand: Subcommand = (terminal) =>
  new Command('quantize')
    .description(
      'Quantises every float tensor of a safetensors or GGUF file and reports the error: SQNR, clipped values, values that become zero, the largest error, the worst tensor. The file may be larger than memory.',
    )
    .argument('<file>', 'a .safetensors or .gguf file; quantised tensors of a GGUF file are decoded first')
    .option(
      '--format <names>',
      'formats and block schemes, separated by commas: bfloat16, float8_e4m3fn, mxfp8 (both elements), mxfp6, mxfp4, mxint8, nvfp4, q4_0, q4_k, iq4_nl, nf4, int8 ... (default: mxfp4)',
    )
    .option('--all', 'every format and block scheme')
    .option(
      '--way <names>',
      `how they are applied, separated by commas: ${wayNames.join(', ')}, all (default: plain, floor, two-levels, stored, rows)`,
    )
    .option(
      '--axis <number>',
      'axis of the blocks: the one that a product sums over, 0 for weights [inputs, outputs] such as those of nn.linear; negative from the end; tensors without this axis use their last one (default: -1)',
    )
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nPlain casts overflow as the format defines, saturating ones give its largest number, scaled ones have one float32 scale per tensor. floor, rceil, ceil and even are rules for the scale of an MX block; one-level and two-levels are NVFP4 scales; stored is how GGUF files (q4_0 ... iq4_xs) and bitsandbytes (nf4, fp4) store a block, ggml is the MXFP4 of ggml, rows is int8 with one scale a row. Blocks lie along the last axis, or that of --axis, for which a whole tensor is held in memory. Incomplete blocks are zero-padded; the padding is not counted.\n\nExamples:\n  tpu-toolkit quantize model.safetensors --format mxfp4\n  tpu-toolkit quantize model.safetensors --format mxfp8,nvfp4,float8_e4m3fn --way scaled,even --out report.html\n  tpu-toolkit quantize model.safetensors --all --json',
    )
    .action((path: string, given: Given) => {
      if (given.all && given.format !== undefined) throw new BadInput('--all and --format exclude each other')
      const ways = readWays(given.all ? undefined : (given.format ?? 'mxfp4'), given.way)
      const axis = given.axis === undefined ? -1 : readNumber('axis', given.axis)
      if (!Number.isInteger(axis)) throw new BadInput(`--axis is not a whole number [${axis}]`)
      const report =
        given.out === undefined ? undefined : openReportFile({ ...given, out: given.out, terminal })
      terminal.ifStopped?.('nothing is written yet')
      const results = quantizeFile(path, ways, terminal.progress, axis)
      const file = terminalText(basename(path))
      if (given.json) terminal.out(jsonText({ file, ...results }))
      else printQuantized(results, terminal)
      report?.write(quantizePage(file, results))
    })
