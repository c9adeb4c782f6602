import { Command, CommanderError } from 'commander'
import { type FormatName, formatNames } from 'tpu-toolkit/formats'
import { operations } from './operations.js'

/** What the command was asked to do. */
export interface DriftOptions {
  readonly ops: readonly string[]
  /** Undefined: each operation's own lengths. */
  readonly lengths: readonly number[] | undefined
  readonly dtype: FormatName
  readonly seed: number
  readonly json: boolean
  readonly out: string
}

/** What parsing ends with: the options, or what to print and the exit status. */
export type Parsed =
  | { readonly options: DriftOptions }
  | { readonly status: number; readonly out: string; readonly error: string }

const names = operations.map((operation) => operation.name)
const longest = 2 ** 20

class BadValue extends Error {}

/** Reads the command line (without node and script). Every mistake is one line and status 2. */
export function parseOptions(args: readonly string[]): Parsed {
  let out = ''
  let error = ''
  const command = new Command('bench:drift')
    .description(
      'Measures how far low-precision results drift from float64, naive beside stable, on real and made inputs.',
    )
    .option('--only <ops>', `operations, separated by commas: ${names.join(', ')}`)
    .option(
      '--length <lengths>',
      `lengths, separated by commas, each 2 ... ${longest} (default: 16 ... 65536)`,
    )
    .option('--dtype <format>', `number format: ${formatNames.join(', ')}`, 'bfloat16')
    .option(
      '--seed <integer>',
      'of the drawn inputs, 0 ... 4294967295; the same seed gives the same bytes',
      '0',
    )
    .option('--json', 'print the JSON on standard output, and nothing else there')
    .option('--out <folder>', 'where index.html, drift.json and drift.csv go', 'reports/drift')
    .helpOption('--help', 'show this text')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (error += text) })
  try {
    command.parse(args, { from: 'user' })
    const given = command.opts<{
      only?: string
      length?: string
      dtype: string
      seed: string
      json?: true
      out: string
    }>()
    return {
      options: {
        ops: given.only === undefined ? names : readOps(given.only),
        lengths: given.length === undefined ? undefined : readLengths(given.length),
        dtype: readDtype(given.dtype),
        seed: readInteger('seed', given.seed, 0, 2 ** 32 - 1),
        json: given.json ?? false,
        out: given.out,
      },
    }
  } catch (thrown) {
    if (thrown instanceof BadValue) return { status: 2, out: '', error: `bench:drift: ${thrown.message}\n` }
    if (!(thrown instanceof CommanderError)) throw thrown
    if (thrown.exitCode === 0) return { status: 0, out, error: '' }
    return { status: 2, out: '', error: `bench:drift: ${error.replace(/^error: /, '').trim()}\n` }
  }
}

function readOps(text: string): string[] {
  const asked = text.split(',').map((name) => name.trim())
  const unknown = asked.filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new BadValue(`unknown op [${unknown.join(', ')}], there are ${names.join(', ')}`)
  return names.filter((name) => asked.includes(name))
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

function readInteger(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new BadValue(`--${option} takes integers ${least} ... ${most} [${text.slice(0, 50)}]`)
}
