import {
  checkArray,
  checkFunction,
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type FormatName, formatNames } from '../../numbers/formats/index.js'
import { drift, type ErrorBound } from '../../numerics/index.js'
import { tensor } from '../../tensors/tensor/index.js'
import { driftInputs, type RecordedGaps } from './lab/driftInputs.js'
import type { Lab, Measurement, Trial, Way } from './lab/measurement.js'
import type { Operation } from './lab/operation.js'
import { operations } from './operations.js'

/** The results of a run: everything that is printed and written comes from here. */
export interface DriftResults {
  readonly dtype: FormatName
  readonly seed: number
  readonly inputs: readonly { readonly name: string; readonly about: string }[]
  readonly ops: readonly OpResults[]
}

/** The results of one operation. */
export interface OpResults {
  readonly operation: Operation
  readonly lengths: readonly number[]
  readonly finding: string
  readonly rows: readonly Measurement[]
  /** The bound of each way that has one, as the last trial gave it. */
  readonly theories: ReadonlyMap<string, ErrorBound>
}

/** What is to be measured. */
export interface RunDriftOptions {
  /** Names of operations. Default: all of them. */
  readonly ops?: readonly string[]
  /** Default: each operation's own. */
  readonly lengths?: readonly number[]
  /** Default: bfloat16. */
  readonly dtype?: FormatName
  /** Of the inputs that are drawn. Default: 0. */
  readonly seed?: number
  /** Recorded inputs in addition to synthetic ones. Default: none. */
  readonly recorded?: readonly RecordedGaps[]
  /** Called as trials are run. */
  readonly progress?: (done: number, total: number, operation: string) => void
}

/** The longest length that is measured. */
export const longestLength: number = 2 ** 20

const optionNames: OptionTable<RunDriftOptions> = {
  ops: 'optional',
  lengths: 'optional',
  dtype: 'optional',
  seed: 'optional',
  recorded: 'optional',
  progress: 'optional',
}

/**
 * Measures the drift of operations from float64, naive and stable, on recorded and on synthetic inputs.
 *
 * Throws    RangeError for unknown operations, formats and options, and for lengths outside 2 ... 2^20.
 *
 * @example runDrift({ ops: ['sum'], lengths: [64] }).ops[0].rows.length > 0 // true
 */
export function runDrift(options: RunDriftOptions = {}): DriftResults {
  checkOptions('runDrift', options, optionNames)
  const names = operations.map(({ name }) => name)
  const { ops: asked = names, dtype = 'bfloat16', seed = 0, recorded = [], progress = () => {} } = options
  checkArray('runDrift', 'ops', asked)
  checkArray('runDrift', 'recorded', recorded)
  checkFunction('runDrift', 'progress', progress)
  for (const name of asked) checkName('runDrift', 'operation', name, names)
  checkName('runDrift', 'dtype', dtype, formatNames)
  checkInteger('runDrift', 'seed', seed, 0, 2 ** 32 - 1)
  if (options.lengths !== undefined) checkArray('runDrift', 'lengths', options.lengths)
  for (const length of options.lengths ?? []) checkInteger('runDrift', 'length', length, 2, longestLength)
  const given = options.lengths && [...new Set(options.lengths)].sort((a, b) => a - b)
  const chosen = operations.filter((operation) => asked.includes(operation.name))
  const lengthsOf = (operation: Operation): readonly number[] => given ?? operation.lengths
  const longest = Math.max(...chosen.flatMap((operation) => lengthsOf(operation)))
  const inputs = driftInputs(recorded, seed, longest)
  const labs = chosen.map((operation): Lab => ({ dtype, seed, lengths: lengthsOf(operation), inputs }))
  const trials = chosen.map((operation, i) => operation.trials(labs[i]!))
  const total = trials.reduce((sum, list) => sum + list.length, 0)

  let done = 0
  const ops = chosen.map((operation, i): OpResults => {
    const rows: Measurement[] = []
    const theories = new Map<string, ErrorBound>()
    progress(done, total, operation.name)
    for (const trial of trials[i]!) {
      rows.push(...measureTrial(operation, trial(), theories))
      progress(++done, total, operation.name)
    }
    const finding = operation.finding(rows, dtype)
    return { operation, lengths: labs[i]!.lengths, finding, rows, theories }
  })
  return {
    dtype,
    seed,
    inputs: inputs.map(({ name, about }) => ({ name, about })),
    ops,
  }
}

function measureTrial(operation: Operation, trial: Trial, theories: Map<string, ErrorBound>): Measurement[] {
  const rows = trial.ways.map((way) => measure(operation, trial, way, theories))
  const stable = rows.find((row) => row.role === 'stable')
  return rows.map((row) => ({
    ...row,
    vsStable: stable && stable.maxAbs > 0 ? row.maxAbs / stable.maxAbs : null,
  }))
}

function measure(
  operation: Operation,
  { variant, input, length, reference }: Trial,
  way: Way,
  theories: Map<string, ErrorBound>,
): Measurement {
  const result = way.compute()
  const found = drift(result, tensor(reference, { dtype: 'float64', shape: result.shape }))
  const theory = way.bound?.()
  if (theory) theories.set(way.name, theory)
  const bound = theory && Number.isFinite(theory.bound) ? theory.bound : null
  const last = result.size - 1
  const bits = result.toBits()
  return {
    op: operation.name,
    variant,
    input,
    way: way.name,
    role: way.role,
    length,
    maxAbs: found.maxAbs,
    maxRel: found.maxRel,
    rms: found.rms,
    normRel: found.normRel,
    sqnr: found.sqnr,
    bias: found.bias,
    maxUlps: found.maxUlps,
    stallIndex: operation.running ? found.stallIndex : null,
    bound,
    ofBound: bound === null ? null : found.maxAbs === 0 ? 0 : found.maxAbs / bound,
    vsStable: null,
    effectiveRank: way.effectiveRank?.(result) ?? null,
    stallShare: way.stallShare?.() ?? null,
    last: result.toNumbers()[last]!,
    lastBits: bits[last]!.toString(16).padStart(2 * bits.BYTES_PER_ELEMENT, '0'),
    lastReference: reference[last]!,
  }
}
