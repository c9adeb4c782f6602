import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkRecord, checkText, nearestName, shown } from '../../base/options/index.js'
import { locateExperiment } from './findExperiment.js'
import type { Params } from './trial.js'

/** A value that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** What a trial came to: a plain record. A number that is not finite is kept as null. */
export type Row = Readonly<Record<string, Json>>

/** Numbers by name. */
export type Metrics = Readonly<Record<string, number>>

/** Receives the progress of a trial. */
export type Report = (step: number, metrics: Metrics) => void

/** The second argument of an experiment. */
export interface TrialContext {
  /** How far to run, where the search says so. */
  readonly steps?: number
  /** Aborted where the row is no longer wanted; a thread is ended without it. */
  readonly signal: AbortSignal
  /** To be called now and then with how far the trial is: for those who watch. Decides nothing. */
  readonly report: Report
  /**
   * A folder of this configuration's own, where one is kept between its rungs and over a kill: a checkpoint written there
   * (whole or not at all) is there when the trial is run again or further. It may be empty at any time.
   */
  readonly resume?: string
}

/** An experiment: parameters in, a row out. */
export type ExperimentFunction = (params: Params, context: TrialContext) => Row | Promise<Row>

/** An experiment that was found, and checks what it returns. */
export interface LoadedExperiment {
  /** The name of the file, with the export where it is not the default one. */
  readonly name: string
  /** Of the text of the file: results of another text are results of something else. Null for what is built in. */
  readonly digest: string | null
  /** The parameters with all defaults filled in, where the experiment knows them. A mistake is a RangeError. */
  readonly complete: (params: Params) => Params
  /** Runs it, and checks the row. */
  readonly run: (params: Params, context: TrialContext) => Promise<Row>
}

/** The fields of a line of the file that are not the experiment's. */
const reserved = ['options', 'atSteps', 'check']

/**
 * Finds an experiment: `step2750`, `recipe` (one run of a recipe of low-precision training), or a module's file, `./experiment.mjs`, whose default export it is, or another one:
 * `./experiment.mjs#train`. The path is relative to the working directory.
 *
 * Throws    RangeError for a name that is none, a file or export that is not there and one that is no function; what the
 *           module itself throws. The row that a run returns is checked by `checkRow`.
 */
export async function loadExperiment(specifier: string): Promise<LoadedExperiment> {
  const { file, name, digest } = locateExperiment('loadExperiment', specifier)
  if (file === null) return name === 'recipe' ? ofRecipe() : ofStep2750()
  const title = basename(file)
  const exports = await importFile(file, title)
  const run = exports[name]
  if (run === undefined) throw new RangeError(missing(title, name, Object.keys(exports).sort()))
  if (typeof run !== 'function') {
    throw new RangeError(`loadExperiment: ${name} of ${title} is not a function [${shown(run)}]`)
  }
  const full = name === 'default' ? title : `${title}#${name}`
  return wrapExperiment(full, run as ExperimentFunction, digest)
}

/** A function as an experiment whose rows are checked. */
export function wrapExperiment(
  name: string,
  run: ExperimentFunction,
  digest: string | null,
): LoadedExperiment {
  return {
    name,
    digest,
    complete: (params) => params,
    run: async (params, context) => checkRow(name, await run(params, context)),
  }
}

async function importFile(file: string, title: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href)
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw thrown
    throw new RangeError(
      `loadExperiment: this Node does not read TypeScript, 22.18 and later do: use one of them, or the compiled file [${process.version}, ${title}]`,
    )
  }
}

function missing(title: string, name: string, names: readonly string[]): string {
  const near = nearestName(name, names)
  const advice =
    near !== undefined
      ? `, did you mean ${near}`
      : name === 'default' && names.length > 0
        ? `, name one as ${title}#${names[0]}`
        : ''
  return `loadExperiment: ${title} has no export ${name}${advice} [${names.join(', ') || 'no exports'}]`
}

/** The step-2750 experiment, loaded when it is asked for: it brings most of the package. */
async function ofStep2750(): Promise<LoadedExperiment> {
  const { step2750Options, sweepRow } = await import('../step2750/index.js')
  const runOf = (params: Params, steps?: number) =>
    step2750Options({
      ...Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)),
      ...(steps === undefined ? {} : { steps }),
    })
  return {
    name: 'step2750',
    digest: null,
    complete: (params) => ({ ...runOf(params) }),
    run: async (params, { steps }) => {
      const { options: _, ...row } = sweepRow(runOf(params, steps))
      return checkRow('step2750', row)
    },
  }
}

/** One run of a recipe: an arm of a seed. */
async function ofRecipe(): Promise<LoadedExperiment> {
  const { recipeParams, recipeRow } = await import('../recipes/index.js')
  return {
    name: 'recipe',
    digest: null,
    complete: (params) => ({ ...recipeParams(params) }),
    run: async (params, { report }) => {
      const run = recipeRow(recipeParams(params), (step, loss) => report(step, { loss }))
      return checkRow('recipe', run)
    },
  }
}

/**
 * Checks what an experiment returned, and returns it as JSON keeps it: numbers that are not finite are null, fields that are
 * undefined are gone. With a metric, the row has a number of that name (or null).
 *
 * Throws    TypeError for a row that is no plain record, a value in it that JSON cannot hold, a field of the file's own
 *           (options, atSteps, check); RangeError where the metric is missing.
 *
 * @example checkRow('mine.mjs', { loss: NaN }, 'loss') // { loss: null }
 * checkRow('mine.mjs', { los: 1 }, 'loss') // throws mine.mjs: the row has no loss, did you mean los [los]
 */
export function checkRow(name: string, row: unknown, metric?: string): Row {
  checkText('checkRow', 'name', name)
  checkRecord(name, 'the row', row)
  const own = reserved.find((field) => Object.hasOwn(row as object, field))
  if (own !== undefined) {
    throw new TypeError(`${name}: a field of the row has a name of the sweep's own [${own}]`)
  }
  checkJson(name, row, 'the row', 0)
  const plain: Row = JSON.parse(JSON.stringify(row))
  if (metric === undefined) return plain
  checkText('checkRow', 'metric', metric)
  const value = plain[metric]
  if (value === undefined) {
    const names = Object.keys(plain)
    const near = nearestName(metric, names)
    const advice = near === undefined ? '' : `, did you mean ${near}`
    throw new RangeError(`${name}: the row has no ${metric}${advice} [${names.join(', ') || 'no fields'}]`)
  }
  if (typeof value !== 'number' && value !== null) {
    throw new TypeError(`${name}: ${metric} of the row is not a number [${shown(value)}]`)
  }
  return plain
}

function checkJson(name: string, value: unknown, where: string, depth: number): void {
  if (value === null || value === undefined) return
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return
  if (depth > 50) throw new TypeError(`${name}: ${where} goes deeper than 50 levels [${shown(value)}]`)
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) checkJson(name, one, `${where}.${i}`, depth + 1)
    return
  }
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  if (
    typeof value !== 'object' ||
    !(prototype === null || Object.getPrototypeOf(prototype) === null) ||
    typeof (value as { readonly toJSON?: unknown }).toJSON === 'function'
  ) {
    throw new TypeError(`${name}: ${where} is not plain JSON [${shown(value)}]`)
  }
  for (const [field, one] of Object.entries(value)) checkJson(name, one, `${where}.${field}`, depth + 1)
}
