import { Command } from 'commander'
import { codeTable, type FloatFormat, format, formatNames } from '../formats/index.js'
import { textTable } from '../report/index.js'
import { jsonText } from './jsonText.js'
import { readFormat } from './readFormat.js'
import type { Subcommand } from './subcommand.js'

/** `formats`: the facts of every format in a table, or one format's facts and its codes. */
export const formatsCommand: Subcommand = (terminal) =>
  new Command('formats')
    .description(
      'The facts of every format; with a name that format alone, and what each of its codes means.',
    )
    .argument('[name]', 'a format: bfloat16, float8_e4m3fn ...')
    .option('--codes', 'list the codes of a format of more than 8 bits too (65,536 lines)')
    .option('--json', 'print one JSON object instead of the table')
    .addHelpText('after', '\nExamples:\n  tpu-toolkit formats\n  tpu-toolkit formats float4_e2m1fn')
    .action((name: string | undefined, given: { readonly codes?: boolean; readonly json?: boolean }) => {
      const chosen = name === undefined ? formatNames.map((known) => format(known)) : [readFormat(name)]
      if (given.json) {
        terminal.out(jsonText(name === undefined ? { formats: chosen } : { format: chosen[0] }))
        return
      }
      terminal.out(`${textTable(factColumns, chosen.map(factRow))}\n`)
      const [only] = chosen
      if (name !== undefined && only && (only.bits <= 8 || given.codes))
        terminal.out(`\n${codeTable(only)}\n`)
    })

const exactly = { show: (value: unknown) => (value === null ? '-' : String(value)) }

const factColumns = [
  { key: 'name' },
  { key: 'bits' },
  { key: 'exponent' },
  { key: 'mantissa' },
  { key: 'bias' },
  { key: 'max', ...exactly },
  { key: 'minNormal', header: 'least normal', ...exactly },
  { key: 'minPositive', header: 'least positive', ...exactly },
  { key: 'eps', ...exactly },
  { key: 'infinity' },
  { key: 'nan', header: 'NaN codes' },
]

function factRow(record: FloatFormat): Record<string, string | number | boolean> {
  const { name, bits, exponentBits, mantissaBits, bias, max, minNormal, minPositive, eps, infinity, nan } =
    record
  return {
    ...{ name, bits, exponent: exponentBits, mantissa: mantissaBits, bias, max, minNormal, minPositive, eps },
    ...{ infinity, nan },
  }
}
