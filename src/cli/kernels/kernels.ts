import { readdirSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import {
  kernelCases,
  longestKernel,
  type RunKernelsOptions,
  runKernels,
} from '../../experiments/drift/index.js'
import { BadInput } from '../io/badInput.js'
import { openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readNames } from '../io/readNames.js'
import { readInteger } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import { kernelsJson } from './kernelsJson.js'
import { kernelsPage } from './kernelsPage.js'
import { kernelsText } from './kernelsText.js'

interface Given {
  readonly only?: string
  readonly length?: string
  readonly block?: string
  readonly dtype?: string
  readonly seed: string
  readonly steps: string
  readonly text?: string
  readonly full?: true
  readonly json?: true
  readonly out: string
}

const kernelNames = kernelCases.map(({ name }) => name)
const dtypeNames = ['bfloat16', 'float16', 'float32'] as const

/** `kernels`: how far the forms of kernels are from the exact result. Exit status 0; 1 when the report cannot be written. */
export const kernelsCommand: Subcommand = (terminal) =>
  new Command('kernels')
    .description(
      'Measures the errors of kernels against the exact result, for each form: on normal numbers, with outliers, and on activations of a small model that it trains first.',
    )
    .option('--only <kernels>', `kernels, separated by commas: ${kernelNames.join(', ')}`)
    .option(
      '--length <lengths>',
      `lengths, separated by commas, each 16 ... ${longestKernel} (default: 128,1024,4096,16384)`,
    )
    .option('--block <columns>', 'columns of the attention blocks, separated by commas (default: 128)')
    .option('--dtype <formats>', 'bfloat16, float16, float32, separated by commas (default: bfloat16)')
    .option('--seed <integer>', 'seed of the random inputs and the model, 0 ... 4294967295', '0')
    .option('--steps <n>', 'training steps; 0 leaves out activations', '30')
    .option('--text <file>', 'text to train on (default: the pages of docs)')
    .option('--full', 'every power of two from 128 to 16384, blocks of 32, 128 and 512, all three formats')
    .option('--json', 'print one JSON object on standard output, and nothing else')
    .option('--out <folder>', 'folder of index.html and kernels.json', 'reports/kernels')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit kernels\n  tpu-toolkit kernels --only attention --length 512,2048 --block 32,128,512 --dtype bfloat16,float16',
    )
    .action((given: Given) => {
      const options = readOptions(given)
      const report = openReport({ ...given, terminal })
      terminal.ifStopped?.('nothing is written yet; --only and --length make it shorter')
      const results = runKernels({ ...options, ...(terminal.progress && { progress: terminal.progress }) })
      if (given.json) {
        terminal.out(kernelsJson(results))
      } else {
        printWrapped(terminal, kernelsText(results, terminal.width), {
          bold: results.kernels.map(({ finding }) => finding),
        })
      }
      report.write({ 'index.html': kernelsPage(results), 'kernels.json': kernelsJson(results) })
    })

const full: RunKernelsOptions = {
  lengths: [128, 256, 512, 1024, 2048, 4096, 8192, 16_384],
  blocks: [32, 128, 512],
  dtypes: ['bfloat16', 'float16', 'float32'],
}

function readOptions({
  only,
  length,
  block,
  dtype,
  seed,
  steps: given,
  text,
  full: whole,
}: Given): RunKernelsOptions {
  const steps = readInteger('steps', given, 0, 100_000)
  return {
    ...(whole && full),
    ...(only === undefined ? {} : { kernels: readNames('kernel', only, kernelNames) }),
    ...(length === undefined ? {} : { lengths: readList('length', length, 16) }),
    ...(block === undefined ? {} : { blocks: readList('block', block, 1) }),
    ...(dtype === undefined ? {} : { dtypes: readNames('dtype', dtype, dtypeNames) }),
    seed: readInteger('seed', seed, 0, 2 ** 32 - 1),
    ...(steps === 0 ? {} : { steps, text: readText(text) }),
  }
}

function readList(name: string, text: string, least: number): number[] {
  return text.split(',').map((part) => readInteger(name, part.trim(), least, longestKernel))
}

/** A file, or the pages of docs one after the other. */
function readText(file: string | undefined): Uint8Array {
  try {
    if (file !== undefined) return nonEmpty(readFileSync(file), file)
    const folder = new URL('../../../docs/', import.meta.url)
    const pages = readdirSync(folder).filter((name) => name.endsWith('.md'))
    return Buffer.concat(pages.sort().map((name) => readFileSync(new URL(name, folder))))
  } catch (error) {
    if (error instanceof BadInput) throw error
    throw new BadInput(`--text: cannot be read [${file ?? 'docs'}]`)
  }
}

function nonEmpty(text: Uint8Array, file: string): Uint8Array {
  if (text.length === 0) throw new BadInput(`--text: the file is empty [${file}]`)
  return text
}
