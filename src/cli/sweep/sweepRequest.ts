import { basename } from 'node:path'
import { nearestName } from '../../base/options/index.js'
import {
  type LoadedExperiment,
  loadExperiment,
  type ParamValue,
  type Space,
  type SweepOptions,
  type ValueRange,
} from '../../experiments/sweep/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import { readInteger, readNumber } from '../io/readNumber.js'
import { type GivenQueue, type QueueRequest, readQueue } from './readQueue.js'
import { type GivenSearch, readSearch } from './readSearch.js'
import { camelCase, type OtherArguments, readNamed, readOthers, readSpace, readValues } from './readSpace.js'

/** The options as commander has them: lists of values, separated by commas, or ranges. */
export interface GivenSweep extends GivenSearch, GivenQueue {
  readonly experiment?: string
  readonly seed?: string
  readonly length?: string
  readonly gap?: string
  readonly steps?: string
  readonly dtype?: string
  readonly form?: string
  readonly cumsum?: string
  readonly broadcastSum?: string
  readonly zeroNans?: string
  readonly lr?: string
  readonly param?: readonly string[]
  readonly metric?: string
  readonly goal?: string
  readonly missing?: string
  readonly workers: string
  readonly out?: string
  readonly json?: boolean
  readonly serve?: string | true
}

/** What is to be run, checked. */
export interface SweepRequest {
  readonly sweep: Omit<SweepOptions, 'path'> & { readonly experiment: string }
  /** What the experiment is called. */
  readonly name: string
  /** How many configurations there are. */
  readonly count: number
  /** The step-2750 experiment over a grid, without a metric: it has a table and a page of its own. */
  readonly plain: boolean
  readonly out: string
  readonly json: boolean
  /** The port of the page that shows the course. */
  readonly serve?: number
  /** Where the runs are put instead of threads. */
  readonly queue?: QueueRequest
}

const goals = ['min', 'max'] as const
const answers = ['worst', 'best'] as const

/** The parameters of the step-2750 experiment in the order of its grid, as flags; and how their values are read. */
const step2750: Readonly<Record<string, (flag: string, text: string) => ParamValue>> = {
  experiment: asText,
  seed: readNumber,
  length: readNumber,
  gap: readNumber,
  steps: readNumber,
  dtype: asText,
  form: asText,
  cumsum: asText,
  'broadcast-sum': asText,
  'zero-nans': yesOrNo,
  lr: readNumber,
}

/** Reads the command line: `flags` are all that the command knows. Every mistake is a BadInput. */
export async function readSweep(
  given: GivenSweep,
  others: readonly string[],
  flags: readonly string[],
): Promise<SweepRequest> {
  const { experiment: specifier = 'step2750', params } = readOthers(others)
  const own = specifier === 'step2750'
  const space = own ? ownSpace(given, params, flags) : userSpace(given, params, flags)
  const search = readSearch(given)
  const queue = readQueue(given)
  const workers = readInteger('workers', given.workers, 1, 256)
  const objective = readObjective(given, own)
  if (search.rungs !== undefined && objective.metric === undefined) {
    throw new BadInput('--search asha needs --metric')
  }
  const serve =
    given.serve === undefined
      ? {}
      : { serve: given.serve === true ? 0 : readInteger('serve', given.serve, 0, 65535) }
  const experiment = await load(specifier)
  const count = counted(experiment, search, space)
  const folder = own
    ? 'reports/sweep'
    : `reports/sweep-${basename(specifier)
        .replace(/\.[cm]?[jt]s(?=$|#)/, '')
        .replace(/\W+/g, '-')}`
  return {
    sweep: { experiment: specifier, space, search, workers, ...objective },
    name: experiment.name,
    count,
    plain: own && search.name === 'grid' && objective.metric === undefined,
    out: given.out ?? folder,
    json: given.json ?? false,
    ...serve,
    ...(queue === undefined ? {} : { queue }),
  }
}

function ownSpace(given: GivenSweep, params: OtherArguments['params'], flags: readonly string[]): Space {
  const [unknown] = params.keys()
  if (unknown !== undefined) throw unknownOption(unknown, flags)
  const texts: Readonly<Record<string, unknown>> = {
    ...given,
    ...Object.fromEntries(readNamed(given.param ?? [])),
  }
  const space: Record<string, readonly ParamValue[] | ValueRange> = {}
  for (const [flag, read] of Object.entries(step2750)) {
    const text = texts[camelCase(flag)]
    if (typeof text === 'string') space[camelCase(flag)] = readValues(flag, text, (one) => read(flag, one))
  }
  return space
}

/** Of a user's experiment all flags are parameters but those that are the command's own; ours for step-2750 are, too. */
function userSpace(given: GivenSweep, params: OtherArguments['params'], flags: readonly string[]): Space {
  const texts: Readonly<Record<string, unknown>> = { ...given }
  const shared = Object.keys(step2750).flatMap((flag): [string, string][] => {
    const text = texts[camelCase(flag)]
    return typeof text === 'string' ? [[flag, text]] : []
  })
  const ours = flags.filter((flag) => !(flag in step2750))
  return {
    ...readSpace(new Map(shared), []),
    ...readSpace(params, ours),
    ...readSpace(readNamed(given.param ?? []), []),
  }
}

function unknownOption(flag: string, flags: readonly string[]): BadInput {
  const near = nearestName(flag, flags)
  const advice = near === undefined ? '' : `, did you mean --${near}`
  return new BadInput(`unknown option '--${flag.slice(0, 50)}'${advice}`)
}

function readObjective(
  { metric, goal, missing }: GivenSweep,
  own: boolean,
): Pick<SweepOptions, 'metric' | 'goal' | 'missing'> {
  if (metric === undefined) {
    const [flag, value] = goal === undefined ? ['missing', missing] : ['goal', goal]
    if (value !== undefined) throw new BadInput(`--${flag} says nothing without --metric [${value}]`)
    return {}
  }
  // A run of the step-2750 experiment that has no first NaN step stayed finite.
  const best = own && metric === 'firstNonFiniteStep'
  return {
    metric,
    ...(goal === undefined ? {} : { goal: readName('goal', goal, goals) }),
    ...(missing !== undefined
      ? { missing: readName('answer of --missing', missing, answers) }
      : best
        ? { missing: 'best' as const }
        : {}),
  }
}

async function load(specifier: string): Promise<LoadedExperiment> {
  try {
    return await loadExperiment(specifier)
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    const begins = 'loadExperiment: '
    if (thrown.message.startsWith(begins)) throw new BadInput(thrown.message.slice(begins.length))
    // What the module itself throws when it is loaded.
    throw new BadInput(`${basename(specifier)}: ${thrown.message}`)
  }
}

function counted(
  experiment: LoadedExperiment,
  search: NonNullable<SweepOptions['search']>,
  space: Space,
): number {
  const configurations = mistakesAsBadInput(search.name, () => search.configurations(space))
  const runs = mistakesAsBadInput('step2750', () =>
    configurations.map((params) => experiment.complete(params)),
  )
  return runs.length
}

function asText(_: string, text: string): string {
  return text
}

function yesOrNo(flag: string, text: string): boolean {
  if (text !== 'yes' && text !== 'no') {
    throw new BadInput(`--${flag} is not yes or no [${text.slice(0, 50)}]`)
  }
  return text === 'yes'
}
