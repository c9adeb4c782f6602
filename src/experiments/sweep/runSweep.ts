import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  checkText,
  type OptionTable,
} from '../../base/options/index.js'
import { ashaSchedule } from './asha.js'
import { conduct, type Watcher } from './conduct.js'
import {
  type ExperimentFunction,
  type LoadedExperiment,
  loadExperiment,
  wrapExperiment,
} from './experiment.js'
import { type Judge, judgeOf, type Objective } from './judge.js'
import { localRunner } from './localRunner.js'
import { headOf, openRowsFile, type RowsHead, type TrialRow } from './rowsFile.js'
import type { Runner } from './runner.js'
import { listSchedule } from './schedule.js'
import { checkSpace, grid, type Search, type Space } from './search.js'
import { threadRunner } from './threadRunner.js'
import { makeTrial, type Params } from './trial.js'

/** A sweep: what is run, over which values, and what of the rows is good. */
export interface SweepOptions extends Partial<Objective>, Watcher {
  /** What `loadExperiment` takes, run in threads; or a function, run in this thread. */
  readonly experiment: string | ExperimentFunction
  readonly space: Space
  /** The file of results. What it holds already is not run again. */
  readonly path: string
  /** Default: `grid()`. */
  readonly search?: Search
  /** Threads. Default: as many as the machine runs at once. */
  readonly workers?: number
  /** Runs the trials in the threads' place; it is not closed. */
  readonly runner?: Runner
  /** How many trials `asha` asks for at a time; a file that was begun keeps its number. Default: `workers`. */
  readonly atOnce?: number
  /** Ends the sweep at once; the rows that are done are kept. */
  readonly signal?: AbortSignal
}

/** What a sweep came to. */
export interface SweepResult {
  /** In the order of the search; of `asha` in the order in which they ended. */
  readonly rows: readonly TrialRow[]
  /** The best first; of `asha` those first that ran furthest. Without a metric as they are. */
  readonly ranked: readonly TrialRow[]
  /** The best row, of `asha` among those that ran furthest; null without a metric, and where none counts. */
  readonly best: TrialRow | null
  /** Of `asha`: how far its rungs run. Empty for the others. */
  readonly rungs: readonly number[]
}

const names: OptionTable<SweepOptions> = {
  ...{ experiment: 'required', space: 'required', path: 'required', search: 'optional', metric: 'optional' },
  ...{ goal: 'optional', missing: 'optional', workers: 'optional', runner: 'optional', atOnce: 'optional' },
  ...{ signal: 'optional', onHeld: 'optional', onRow: 'optional', onReport: 'optional' },
}

/**
 * Runs an experiment over a space of its parameters. Every row is on disk before it counts: killed at any moment and begun
 * again with the same options, a sweep runs what is missing and nothing else. The file of `grid`, `random` and `sobol` ends
 * with the same bytes, whatever happened; that of `asha` keeps the order in which rows came, from which it goes on.
 *
 * Throws    RangeError for an experiment, a space or a file that cannot be taken, and for a row without the metric, at once;
 *           `TrialFailed` for trials that fail, after the others are finished and stored.
 */
export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  checkOptions('runSweep', options, names)
  const {
    path,
    space,
    search = grid(),
    workers = availableParallelism(),
    onHeld,
    onRow,
    onReport,
    signal,
  } = options
  checkText('runSweep', 'path', path)
  checkSpace('runSweep', space)
  checkRecord('runSweep', 'search', search, ['name', 'configurations'])
  checkInteger('runSweep', 'workers', workers, 1, 256)
  if (options.runner !== undefined) checkRecord('runSweep', 'runner', options.runner, ['run', 'close'])
  if (options.atOnce !== undefined) checkInteger('runSweep', 'atOnce', options.atOnce, 1, 10_000)
  if (onHeld !== undefined) checkFunction('runSweep', 'onHeld', onHeld)
  if (onRow !== undefined) checkFunction('runSweep', 'onRow', onRow)
  if (onReport !== undefined) checkFunction('runSweep', 'onReport', onReport)
  const experiment = await experimentOf(options.experiment)
  const configurations = complete(search.configurations(space), experiment)
  const judge = judgeFrom(options, experiment.name)
  const { rungs } = search
  if (rungs !== undefined && judge === undefined) {
    throw new RangeError(`runSweep: asha needs the option metric [asha]`)
  }
  const asked = headFor(experiment, rungs === undefined ? undefined : { options, rungs, configurations })
  const begun = headOf(path)?.['atOnce']
  const atOnce = isCount(begun) ? begun : (options.atOnce ?? workers)
  const head = rungs === undefined ? asked : { ...asked, atOnce }
  const schedule =
    rungs === undefined || judge === undefined
      ? listSchedule(configurations.map((params) => makeTrial(params)))
      : ashaSchedule(configurations, rungs, judge)
  // A row without the metric ends the sweep when it comes, not when all have come.
  const heard = judge === undefined ? schedule : hearing(schedule, judge)
  const states = rungs === undefined ? undefined : `${path}.states`
  const own = options.runner ? undefined : runnerOf(options.experiment, experiment.name, workers, states)
  const runner = options.runner ?? own!
  const file = openRowsFile(path, head)
  try {
    const limit = rungs === undefined ? Number.POSITIVE_INFINITY : atOnce
    await conduct(heard, { file, runner, atOnce: limit, signal, onHeld, onRow, onReport })
    if (schedule.list !== undefined) file.sort(schedule.list)
    if (states !== undefined) rmSync(states, { recursive: true, force: true })
    const rows = schedule.list?.map(({ key }) => file.rows.get(key)!) ?? [...file.rows.values()]
    const ranked = judge === undefined ? rows : rank(rows, judge)
    const [first] = ranked
    const counts = judge !== undefined && first !== undefined && judge(first.row) < Number.POSITIVE_INFINITY
    return { rows, ranked, best: counts ? first : null, rungs: rungs?.steps ?? [] }
  } finally {
    await own?.close()
    file.close()
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1

function experimentOf(given: string | ExperimentFunction): LoadedExperiment | Promise<LoadedExperiment> {
  return typeof given === 'function' ? wrapExperiment(nameOf(given), given, null) : loadExperiment(given)
}

const nameOf = (experiment: ExperimentFunction): string => experiment.name || 'experiment'

function complete(found: readonly Params[], experiment: LoadedExperiment): readonly Params[] {
  const all = found.map((params) => experiment.complete(params))
  return [...new Map(all.map((params) => [makeTrial(params).key, params])).values()]
}

function judgeFrom({ metric, goal, missing }: SweepOptions, experiment: string): Judge | undefined {
  const others = { ...(goal === undefined ? {} : { goal }), ...(missing === undefined ? {} : { missing }) }
  if (metric !== undefined) return judgeOf('runSweep', experiment, { metric, ...others })
  const [name] = Object.keys(others)
  if (name === undefined) return undefined
  throw new RangeError(`runSweep: option metric is missing, of which ${name} speaks [no metric]`)
}

interface ByRungs {
  readonly options: SweepOptions
  readonly rungs: NonNullable<Search['rungs']>
  readonly configurations: readonly Params[]
}

/** Whose results a file holds; of `asha` all that decides what is run next. */
function headFor({ name, digest }: LoadedExperiment, byRungs: ByRungs | undefined): RowsHead {
  const head: RowsHead =
    name === 'step2750' ? {} : { experiment: name, ...(digest === null ? {} : { digest }) }
  if (byRungs === undefined) return head
  const { options, rungs, configurations } = byRungs
  const { metric = '', goal = 'min', missing = 'worst' } = options
  const keys = configurations.map((params) => makeTrial(params).key)
  const which = createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 16)
  return { ...head, search: 'asha', configurations: keys.length, which, ...rungs, metric, goal, missing }
}

function hearing(schedule: ReturnType<typeof listSchedule>, judge: Judge): ReturnType<typeof listSchedule> {
  return {
    ...schedule,
    tell: (trial, row) => {
      judge(row)
      schedule.tell(trial, row)
    },
  }
}

function runnerOf(
  experiment: string | ExperimentFunction,
  name: string,
  workers: number,
  states: string | undefined,
): Runner {
  const kept = states === undefined ? {} : { states }
  return typeof experiment === 'function'
    ? localRunner(experiment, { name, ...kept })
    : threadRunner({ experiment, workers, ...kept })
}

/** Those first that ran furthest, then the best, then the earliest. */
function rank(rows: readonly TrialRow[], judge: Judge): TrialRow[] {
  const judged = rows.map((one) => ({ one, steps: one.trial.steps ?? 0, place: judge(one.row) }))
  // Two infinities have no difference.
  const order = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
  return judged.sort((a, b) => b.steps - a.steps || order(a.place, b.place)).map(({ one }) => one)
}
