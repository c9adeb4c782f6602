import { Command } from 'commander'
import { readable } from '../../base/text/index.js'
import {
  decode,
  describe,
  type EncodeOptions,
  encode,
  type FloatFormat,
  format,
  formatNames,
  nextDown,
  nextUp,
  type Rounding,
  ulp,
} from '../../numbers/formats/index.js'
import { textTable } from '../../report/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import { readFormat } from '../io/readFormat.js'
import { readName } from '../io/readNames.js'
import type { Subcommand } from '../io/subcommand.js'

interface Given {
  readonly format: string
  readonly all?: boolean
  readonly rounding: string
  readonly saturate?: boolean
  readonly json?: boolean
}

/** What a number becomes in a format. */
interface Inspection {
  readonly format: string
  /** Hexadecimal. */
  readonly code: string
  readonly bits: string
  readonly class: string
  readonly value: number
  /** The representable values next to it. */
  readonly below: number
  readonly above: number
  /** value - asked, and the same over |asked| and over an ulp of what was asked. */
  readonly error: number
  readonly relative: number
  readonly ulps: number
}

const roundings: readonly Rounding[] = ['nearest-even', 'nearest-away', 'toward-zero', 'up', 'down', 'to-odd']

/** `inspect`: a number in a format, or in all of them: its bits, its neighbours, its error. */
export const inspectCommand: Subcommand = (terminal) =>
  new Command('inspect')
    .description('Shows a number in a format: code, bits, neighbours, error.')
    .argument('<number>', 'decimal, inf, nan, or a code such as 0x3dcd; write negative numbers after --')
    .option('--format <name>', 'a format', 'bfloat16')
    .option('--all', 'every format')
    .option('--rounding <mode>', roundings.join(', '), 'nearest-even')
    .option('--saturate', 'overflow gives the largest finite value')
    .option('--json', 'print one JSON object instead of the text')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit inspect 0.1\n  tpu-toolkit inspect 0.1 --all\n  tpu-toolkit inspect 0x3dcd --format bfloat16\n  tpu-toolkit inspect --format float8_e4m3fn -- -0.3',
    )
    .action((text: string, given: Given) => {
      const only = readFormat(given.format)
      const formats = given.all ? formatNames.map((name) => format(name)) : [only]
      const value = readValue(text, only, given.all === true)
      const options: EncodeOptions = {
        rounding: readRounding(given.rounding),
        saturate: given.saturate ?? false,
      }
      const found = formats.map((record) => inspect(value, record, options))
      if (given.json) terminal.out(jsonText({ value, formats: found }))
      else if (found.length === 1) printWrapped(terminal, recordText(value, found[0]!))
      else printWrapped(terminal, `${textTable(columns, rowsOf(found), { width: terminal.width })}\n`)
    })

const full = { show: (value: unknown) => (Object.is(value, -0) ? '-0' : String(value)) }
const columns = [
  { key: 'format' },
  { key: 'code' },
  { key: 'bits' },
  { key: 'class' },
  { key: 'value', ...full, align: 'right' },
  { key: 'below', ...full, align: 'right' },
  { key: 'above', ...full, align: 'right' },
  { key: 'error' },
  { key: 'relative' },
  { key: 'ulps' },
] as const

/** One number in one format, a line for each thing that is known of it. */
function recordText(asked: number, one: Inspection): string {
  const lines = {
    format: one.format,
    asked: full.show(asked),
    value: full.show(one.value),
    code: one.code,
    bits: one.bits,
    class: one.class,
    below: full.show(one.below),
    above: full.show(one.above),
    // What is asked for may be no number, or none that a difference is taken from.
    error: Number.isNaN(one.error)
      ? '-'
      : `${readable(one.error)} (${readable(one.relative)} relative, ${readable(one.ulps)} ulps)`,
  }
  return Object.entries(lines)
    .map(([name, text]) => `${name.padEnd(6)}  ${text}\n`)
    .join('')
}

function rowsOf(found: readonly Inspection[]): Record<string, string | number>[] {
  return found.map((one) => ({ ...one }))
}

function inspect(asked: number, record: FloatFormat, options: EncodeOptions): Inspection {
  const code = encode(asked, record, options)
  const { bits, class: kind, value } = describe(code, record)
  const error = value - asked
  const finite = Number.isFinite(asked) && asked !== 0
  return {
    format: record.name,
    code: `0x${code.toString(16).padStart(Math.ceil(record.bits / 4), '0')}`,
    bits,
    class: kind,
    value,
    below: nextDown(value, record),
    above: nextUp(value, record),
    error,
    relative: finite ? error / Math.abs(asked) : error,
    ulps: Number.isFinite(error) ? error / ulp(value, record) : error,
  }
}

/** A decimal number, inf or nan; or a code of the format, as it is. */
function readValue(text: string, record: FloatFormat, all: boolean): number {
  if (/^0x[0-9a-f]+$/i.test(text)) {
    if (all) throw new BadInput(`a code belongs to one format, leave off --all [${text.slice(0, 50)}]`)
    const code = Number(text)
    if (code >= 2 ** record.bits) {
      throw new BadInput(`code outside ${record.bits} bits of ${record.name} [${text.slice(0, 50)}]`)
    }
    return decode(code, record)
  }
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (named) return /nan/i.test(named[2]!) ? Number.NaN : named[1] === '-' ? -Infinity : Infinity
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  throw new BadInput(`not a number [${text.slice(0, 50)}]`)
}

function readRounding(text: string): Rounding {
  return readName('rounding', text, roundings)
}
