import { Command } from 'commander'
import { BadValue, type Parsed, parseCommand, readInteger, readNames } from '../cli/parseCommand.js'
import { madeNames } from './made.js'
import { modelNames } from './modelData.js'
import { schemes } from './schemes.js'

/** What the command was asked to do. */
export interface FormatsOptions {
  /** Whether standard output is for JSON alone. */
  readonly json: boolean
  /** Where the report goes. */
  readonly out: string
  readonly schemes: readonly string[]
  readonly data: readonly string[]
  /** The file whose tensors take the place of the model's. */
  readonly weights: string | undefined
  readonly seed: number
}

/** What the tensors of `--weights` are called as data. */
export const fileName = 'file'

interface Given {
  readonly only?: string
  readonly data?: string
  readonly weights?: string
  readonly seed: string
  readonly json?: true
  readonly out: string
}

/** Reads the command line (without node and script). Every mistake is one line and status 2. */
export function parseOptions(args: readonly string[]): Parsed<FormatsOptions> {
  const command = new Command('bench:formats')
    .description(
      'Measures what each low-precision format and block scheme makes of numbers: signal to noise (SQNR), what is clipped, what becomes zero, mean errors; on made data and on the tensors of a model that is trained on real data, or of a file.',
    )
    .option('--only <names>', `formats and block schemes, separated by commas: ${schemes.join(', ')}`)
    .option(
      '--data <names>',
      `data, separated by commas: ${[...madeNames, ...modelNames].join(', ')}; with --weights the last three are replaced by ${fileName}`,
    )
    .option('--weights <file>', 'a safetensors file; its float tensors are measured instead of the model')
    .option(
      '--seed <integer>',
      'of made data and training, 0 ... 4294967295; the same seed gives the same bytes',
      '0',
    )
    .option('--json', 'print the JSON on standard output, and nothing else there')
    .option('--out <folder>', 'where index.html, formats.json and formats.csv go', 'reports/formats')
  return parseCommand(command, args, (given: Given) => {
    if (given.weights === '') throw new BadValue('--weights takes a file []')
    const known = given.weights === undefined ? [...madeNames, ...modelNames] : [fileName, ...madeNames]
    return {
      schemes: given.only === undefined ? schemes : readNames('format or scheme', given.only, schemes),
      data: given.data === undefined ? known : readNames('data', given.data, known),
      weights: given.weights,
      seed: readInteger('seed', given.seed, 0, 2 ** 32 - 1),
      json: given.json ?? false,
      out: given.out,
    }
  })
}
