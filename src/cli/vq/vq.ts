import { basename } from 'node:path'
import { Command } from 'commander'
import { terminalText } from '../../base/text/index.js'
import { type QuantizedModel, quantizeModel, storeCodes } from '../../models/vq/index.js'
import { key } from '../../tensors/random/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import { encodeSafetensors, writeFileAtomic } from '../../training/files/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { CannotWrite, openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readCount, readInteger, readNumber } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { readWeights } from './readWeights.js'
import { vqPage } from './vqPage.js'
import { type VqResults, vqFinding, vqTable } from './vqTable.js'

interface Given {
  readonly bits: string
  readonly length: string
  readonly codes: string
  readonly iterations: string
  readonly seed: string
  readonly save?: string
  readonly json?: boolean
  readonly out?: string
}

/**
 * `vq`: codebooks for the tensors of a file, beside the other ways of holding them in few bits. Exit status 0; 1 when a file
 * cannot be written; 2 for options or a file that cannot be taken.
 */
export const vqCommand: Subcommand = (terminal) =>
  new Command('vq')
    .description(
      'Fits codebooks to the float tensors of a file, encodes them, and reports bits and errors beside int4 and int8 with a scale per column, MX, NVFP4 and bfloat16; for each tensor it chooses the method with the least error within the bit budget.',
    )
    .argument('<file>', 'a .safetensors or .npy file; tensors of two or more axes are loaded into memory')
    .option('--bits <number>', 'maximum mean number of bits per value, tables included', '4')
    .option('--length <numbers>', 'consecutive values per code, separated by commas', '1,2,4')
    .option('--codes <numbers>', 'codebook sizes, separated by commas', '16,256')
    .option('--iterations <integer>', 'steps of k-means', '20')
    .option(
      '--seed <integer>',
      'seed of the initial rows of codebooks; the same seed gives the same bytes',
      '0',
    )
    .option(
      '--save <file>',
      'write codebooks and packed codes, and the other tensors decoded, as safetensors',
    )
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit vq model.safetensors --bits 4.5\n  tpu-toolkit vq model.safetensors --length 2 --codes 256 --save small.safetensors --out vq.html\n  tpu-toolkit vq vectors.npy --length 8 --codes 256 --bits 2 --json',
    )
    .action((path: string, given: Given) => run(path, given, terminal))

function run(path: string, given: Given, terminal: Terminal): void {
  const options = {
    bits: readNumber('bits', given.bits),
    vectorLength: readList('length', given.length, 1),
    codebookSize: readList('codes', given.codes, 2),
    iterations: readCount('iterations', given.iterations, 1),
    key: key(readInteger('seed', given.seed, 0, 2 ** 32 - 1)),
  }
  const { json, save } = given
  const report = openReportFile({ json, out: given.out, terminal })
  const saving = openReportFile({ json, out: save, terminal })
  terminal.ifStopped?.('nothing is written yet')
  const { tensors, skipped } = readWeights(path)
  const progress = terminal.progress
  const model = mistakesAsBadInput('quantizeModel', () =>
    quantizeModel({ tensors }, { ...options, ...(progress && { onProgress: progress }) }),
  )
  const results: VqResults = {
    tensors: Object.entries(tensors).map(([name, { shape, dtype }]) => ({ name, shape, dtype })),
    skipped,
    layers: model.layers.map((row) => ({ ...row, path: nameOf(row.path) })),
    totals: model.totals,
    metrics: model.metrics(),
  }
  const file = terminalText(basename(path))
  if (json) terminal.out(jsonText({ file, ...results }))
  else printWrapped(terminal, `${vqTable(results, terminal.width)}\n`, { bold: [vqFinding(results)] })
  if (save !== undefined && saving) writeCodes(save, model, { json, terminal })
  report?.write(vqPage(file, results))
}

/** The paths of the tree begin with the one name that holds all tensors, whose own names may have dots. */
const nameOf = (path: string): string => path.slice('tensors.'.length)

function writeCodes(
  path: string,
  { coded, params }: QuantizedModel<{ readonly tensors: Readonly<Record<string, Tensor>> }>,
  { json, terminal }: { json: boolean | undefined; terminal: Terminal },
): void {
  const named = Object.fromEntries(Object.entries(coded).map(([at, one]) => [nameOf(at), one]))
  const { tensors, metadata } = storeCodes({ ...params.tensors, ...named })
  try {
    writeFileAtomic(path, encodeSafetensors(tensors, { metadata }))
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    throw new CannotWrite(`cannot write ${terminalText(path)} [${terminalText(thrown.message)}]`)
  }
  const tell = json ? terminal.error : terminal.out
  tell(`${json ? '' : '\n'}Written: ${path}\n`)
}

function readList(option: string, text: string, least: number): number[] {
  const parts = text.split(',')
  if (parts.length > 16) throw new BadInput(`--${option} has more than 16 numbers [${text.slice(0, 50)}]`)
  return parts.map((part) => readCount(option, part, least))
}
