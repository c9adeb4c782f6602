import { readData, type Step2750Data, type Step2750Options, step2750Options } from '../step2750/index.js'
import { BadInput } from './badInput.js'

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
}

/** Options that a row of the table sets itself, or that make no sense for a table. */
const notWithAblate = ['form', 'cumsum', 'dtype', 'broadcastSum', 'zeroNans', 'checkpoint', 'trace'] as const

/** Reads the options; `typed` says which stood on the command line. Every mistake is a BadInput. */
export function readNan(given: GivenNan, typed: (option: string) => boolean): NanRequest {
  if (given.ablate) {
    const wrong = notWithAblate.filter(typed)
    if (wrong.length > 0) throw new BadInput(`--ablate sets this itself [${wrong.map(dashed).join(', ')}]`)
  }
  if (given.data !== undefined && given.gap !== undefined)
    throw new BadInput(`--gap is for data that are drawn, and --data has its own [${given.gap.slice(0, 50)}]`)
  const optional = (name: 'lr' | 'length' | 'gap'): object =>
    given[name] === undefined ? {} : { [name]: number(name, given[name]) }
  const data = given.data === undefined ? undefined : mistakesAsBadInput(() => readData(given.data!))
  const options = {
    experiment: given.experiment,
    form: given.form,
    cumsum: given.cumsum,
    dtype: given.dtype,
    broadcastSum: given.broadcastSum,
    zeroNans: given.zeroNans ?? false,
    steps: number('steps', given.steps),
    seed: number('seed', given.seed),
    ...(data ? { length: data.length } : {}),
    ...optional('lr'),
    ...optional('length'),
    ...optional('gap'),
  } as Step2750Options
  mistakesAsBadInput(() => step2750Options(options))
  return {
    options,
    data,
    dataFile: given.data ?? null,
    trace: count('trace', given.trace),
    json: given.json ?? false,
    checkpoint: given.checkpoint,
    checkpointEvery: count('checkpoint-every', given.checkpointEvery),
    ablate: given.ablate ?? false,
  }
}

/** Runs something whose RangeErrors are mistakes of the user. */
export function mistakesAsBadInput<T>(run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new BadInput(thrown.message.replace(/^step2750: /, ''))
    throw thrown
  }
}

function number(option: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value)) throw new BadInput(`--${option} takes a number [${text.slice(0, 50)}]`)
  return value
}

function count(option: string, text: string): number {
  const value = number(option, text)
  if (!Number.isSafeInteger(value) || value < 1)
    throw new BadInput(`--${option} takes whole numbers from 1 up [${text.slice(0, 50)}]`)
  return value
}

function dashed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
