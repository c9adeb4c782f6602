import { Command } from 'commander'
import { codeTable, format, formatNames } from '../../numbers/formats/index.js'
import { textTable } from '../../report/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import { readFormat } from '../io/readFormat.js'
import type { Subcommand } from '../io/subcommand.js'
import { dataNames, fileName, type GivenFormats } from './formatsOptions.js'
import { measureFormats } from './measureFormats.js'
import { schemes } from './schemes.js'

/**
 * `formats`: the facts of every format in a table, or one format's facts and its codes; with `--measure`, what each makes of
 * numbers. Exit status 0; 1 when the report cannot be written; 2 for a mistake in the options or the weights file.
 */
export const formatsCommand: Subcommand = (terminal) =>
  new Command('formats')
    .description(
      'Lists the facts of every format; with a name, of that format and the meaning of its codes; with --measure, the errors of every format and block scheme: signal to noise (SQNR), clipped values, values that become zero, mean errors, on synthetic data and on the tensors of a model trained on recorded data, or of a file.',
    )
    .argument('[name]', 'a format: bfloat16, float8_e4m3fn ...')
    .option('--codes', 'list codes also for formats of more than 8 bits (65,536 lines)')
    .option('--json', 'print one JSON object instead of the table')
    .option('--measure', 'measure errors; the options below require it')
    .option('--only <names>', `formats and block schemes, separated by commas: ${schemes.join(', ')}`)
    .option(
      '--data <names>',
      `data, separated by commas: ${dataNames.join(', ')}; with --weights the last three are replaced by ${fileName}`,
    )
    .option('--weights <file>', 'a safetensors file whose float tensors are measured instead of the model')
    .option(
      '--seed <integer>',
      'seed of synthetic data and training, 0 ... 4294967295; the same seed gives the same bytes (default: 0)',
    )
    .option('--out <folder>', 'folder of index.html, formats.json and formats.csv (default: reports/formats)')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit formats\n  tpu-toolkit formats float4_e2m1fn\n  tpu-toolkit formats --measure --only mxfp4,nvfp4 --data weights',
    )
    .action((name: string | undefined, given: GivenFormats) => {
      if (given.measure) {
        if (name !== undefined || given.codes) {
          throw new BadInput(`--measure takes formats by --only [${(name ?? '--codes').slice(0, 50)}]`)
        }
        measureFormats(given, terminal)
        return
      }
      const stray = (['only', 'data', 'weights', 'seed', 'out'] as const).find(
        (option) => given[option] !== undefined,
      )
      if (stray) throw new BadInput(`--${stray} is for --measure [${given[stray]!.slice(0, 50)}]`)
      const chosen = name === undefined ? formatNames.map((known) => format(known)) : [readFormat(name)]
      if (given.json) {
        terminal.out(jsonText(name === undefined ? { formats: chosen } : { format: chosen[0] }))
        return
      }
      printWrapped(terminal, `${textTable(factColumns, chosen, { width: terminal.width })}\n`)
      const [only] = chosen
      if (name !== undefined && only && (only.bits <= 8 || given.codes)) {
        terminal.out(`\n${codeTable(only)}\n`)
      }
    })

const exactly = { show: (value: unknown) => (value === null ? '-' : String(value)) }

const factColumns = [
  { key: 'name' },
  { key: 'bits' },
  { key: 'exponentBits', header: 'exponent' },
  { key: 'mantissaBits', header: 'mantissa' },
  { key: 'bias' },
  { key: 'max', ...exactly },
  { key: 'minNormal', header: 'least normal', ...exactly },
  { key: 'minPositive', header: 'least positive', ...exactly },
  { key: 'eps', ...exactly },
  { key: 'infinity' },
  { key: 'nan', header: 'NaN codes' },
]
