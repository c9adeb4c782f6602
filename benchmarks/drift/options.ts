import { Command } from 'commander'
import { type FormatName, formatNames } from 'tpu-toolkit/formats'
import { BadValue, type Parsed, parseCommand, readInteger, readNames } from '../cli/parseCommand.js'
import type { ReportOptions } from '../cli/writeReport.js'
import { operations } from './operations.js'

/** What the command was asked to do. */
export interface DriftOptions extends ReportOptions {
  readonly ops: readonly string[]
  /** Undefined: each operation's own lengths. */
  readonly lengths: readonly number[] | undefined
  readonly dtype: FormatName
  readonly seed: number
}

const names = operations.map((operation) => operation.name)
const longest = 2 ** 20

interface Given {
  readonly only?: string
  readonly length?: string
  readonly dtype: string
  readonly seed: string
  readonly json?: true
  readonly out: string
}

/** Reads the command line (without node and script). Every mistake is one line and status 2. */
export function parseOptions(args: readonly string[]): Parsed<DriftOptions> {
  const command = new Command('bench:drift')
    .description(
      'Measures how far low-precision results drift from float64, naive beside stable, on real and made inputs.',
    )
    .option('--only <ops>', `operations, separated by commas: ${names.join(', ')}`)
    .option(
      '--length <lengths>',
      `lengths, separated by commas, each 2 ... ${longest}: of sequences, steps of training, replicas (default: each operation's own, up to 65536)`,
    )
    .option('--dtype <format>', `number format: ${formatNames.join(', ')}`, 'bfloat16')
    .option(
      '--seed <integer>',
      'of the drawn inputs, 0 ... 4294967295; the same seed gives the same bytes',
      '0',
    )
    .option('--json', 'print the JSON on standard output, and nothing else there')
    .option('--out <folder>', 'where index.html, drift.json and drift.csv go', 'reports/drift')
  return parseCommand(command, args, (given: Given) => ({
    ops: given.only === undefined ? names : readNames('op', given.only, names),
    lengths: given.length === undefined ? undefined : readLengths(given.length),
    dtype: readDtype(given.dtype),
    seed: readInteger('seed', given.seed, 0, 2 ** 32 - 1),
    json: given.json ?? false,
    out: given.out,
  }))
}

function readLengths(text: string): number[] {
  const lengths = text.split(',').map((part) => readInteger('length', part.trim(), 2, longest))
  return [...new Set(lengths)].sort((a, b) => a - b)
}

function readDtype(text: string): FormatName {
  const found = formatNames.find((name) => name === text)
  if (!found) throw new BadValue(`unknown dtype [${text}], there are ${formatNames.join(', ')}`)
  return found
}
