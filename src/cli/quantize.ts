import { basename } from 'node:path'
import { Command } from 'commander'
import { progressBar, terminalText } from '../report/index.js'
import { BadInput } from './badInput.js'
import { jsonText } from './jsonText.js'
import { quantizeFile } from './quantizeFile.js'
import { quantizePage } from './quantizePage.js'
import { quantizeTable } from './quantizeTable.js'
import { readWays, wayNames } from './readWays.js'
import type { Subcommand } from './subcommand.js'
import { writeText } from './writeText.js'

interface Given {
  readonly format?: string
  readonly all?: boolean
  readonly way?: string
  readonly json?: boolean
  readonly out?: string
}

/**
 * `quantize`: what formats and block schemes make of the tensors of a safetensors file, which is read in a stream. Exit
 * status 0; 1 when the page cannot be written; 2 for options or a file that cannot be taken.
 */
export const quantizeCommand: Subcommand = (terminal, exit) =>
  new Command('quantize')
    .description(
      'Quantises every float tensor of a safetensors file and reports the error: SQNR, what is clipped, what becomes zero, the largest error, the worst tensor. The file may be larger than the memory.',
    )
    .argument('<file>', 'a .safetensors file')
    .option(
      '--format <names>',
      'formats and block schemes, separated by commas: bfloat16, float8_e4m3fn, mxfp8 (both elements), mxfp6, mxfp4, mxint8, nvfp4 ... (default: mxfp4)',
    )
    .option('--all', 'every format and block scheme')
    .option(
      '--way <names>',
      `how they are applied, separated by commas: ${wayNames.join(', ')}, all (default: plain, floor, two-levels)`,
    )
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nPlain casts overflow as the format has it, saturating ones give its largest number, scaled ones have one float32 for a tensor. floor, rceil, ceil and even are rules for the scale of an MX block; one-level and two-levels are those of NVFP4. Blocks lie along the last axis; what a row lacks to a whole block is filled up with zeros that are not counted.\nExamples:\n  tpu-toolkit quantize model.safetensors --format mxfp4\n  tpu-toolkit quantize model.safetensors --format mxfp8,nvfp4,float8_e4m3fn --way scaled,even --out report.html\n  tpu-toolkit quantize model.safetensors --all --json',
    )
    .action((path: string, given: Given) => {
      if (given.all && given.format !== undefined) throw new BadInput('--all and --format exclude each other')
      const ways = readWays(given.all ? undefined : (given.format ?? 'mxfp4'), given.way)
      const bar = progressBar(terminal.screen)
      const results = (() => {
        try {
          return quantizeFile(path, ways, bar.show)
        } finally {
          bar.stop()
        }
      })()
      const file = terminalText(basename(path))
      terminal.out(given.json ? jsonText({ file, ...results }) : `${quantizeTable(results)}\n`)
      if (given.out === undefined) return
      exit(writeText('quantize', given.out, quantizePage(file, results), terminal, given.json === true))
    })
