import { type Step2750Data, type Step2750Options, step2750Options } from '../../experiments/step2750/index.js'
import { readData } from '../../experiments/step2750Files/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { readCount, readNumber } from '../io/readNumber.js'

/** The options as commander has them. */
export interface GivenNan {
  readonly experiment: string
  readonly form: string
  readonly cumsum: string
  readonly dtype: string
  readonly broadcastSum: string
  readonly zeroNans?: boolean
  readonly lr?: string
  readonly steps: string
  readonly seed: string
  readonly length?: string
  readonly gap?: string
  readonly data?: string
  readonly trace: string
  readonly json?: boolean
  readonly checkpoint?: string
  readonly checkpointEvery: string
  readonly ablate?: boolean
  readonly out?: string
}

/** What is to be run, checked. */
export interface NanRequest {
  readonly options: Step2750Options
  readonly data: Step2750Data | undefined
  readonly dataFile: string | null
  readonly trace: number
  readonly json: boolean
  readonly checkpoint: string | undefined
  readonly checkpointEvery: number
  readonly ablate: boolean
  /** The folder of a report; undefined: none. */
  readonly out: string | undefined
}

/** Options that a row of the table sets itself, or that make no sense for a table. */
const notWithAblate = [
  'form',
  'cumsum',
  'dtype',
  'broadcastSum',
  'zeroNans',
  'checkpoint',
  'trace',
  'out',
] as const

/** Reads the options; `typed` says which stood on the command line. Every mistake is a BadInput. */
export function readNan(given: GivenNan, typed: (option: string) => boolean): NanRequest {
  if (given.ablate) {
    const wrong = notWithAblate.filter(typed)
    if (wrong.length > 0) throw new BadInput(`--ablate sets this itself [${wrong.map(dashed).join(', ')}]`)
  }
  if (given.data !== undefined && given.gap !== undefined) {
    throw new BadInput(`--gap is for data that are drawn, and --data has its own [${given.gap.slice(0, 50)}]`)
  }
  const optional = (name: 'lr' | 'length' | 'gap'): object =>
    given[name] === undefined ? {} : { [name]: readNumber(name, given[name]) }
  const data =
    given.data === undefined ? undefined : mistakesAsBadInput('step2750', () => readData(given.data!))
  const options = {
    experiment: given.experiment,
    form: given.form,
    cumsum: given.cumsum,
    dtype: given.dtype,
    broadcastSum: given.broadcastSum,
    zeroNans: given.zeroNans ?? false,
    steps: readNumber('steps', given.steps),
    seed: readNumber('seed', given.seed),
    ...(data ? { length: data.length } : {}),
    ...optional('lr'),
    ...optional('length'),
    ...optional('gap'),
  } as Step2750Options
  mistakesAsBadInput('step2750', () => step2750Options(options))
  return {
    options,
    data,
    dataFile: given.data ?? null,
    trace: readCount('trace', given.trace, 1),
    json: given.json ?? false,
    checkpoint: given.checkpoint,
    checkpointEvery: readCount('checkpoint-every', given.checkpointEvery, 1),
    ablate: given.ablate ?? false,
    out: given.out,
  }
}

function dashed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
