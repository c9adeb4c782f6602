import { type FormatName, ulp } from '../../formats/index.js'
import { drift, type ErrorBound } from '../../numerics/index.js'
import type { Progress } from '../../report/index.js'
import { type Tensor, tensor } from '../../tensor/index.js'
import { driftInputs } from './driftInputs.js'
import type { DriftOptions } from './driftOptions.js'
import type { Lab, Measurement, Trial, Way } from './measurement.js'
import type { Operation } from './operation.js'
import { operations } from './operations.js'

/** The results of a run: everything that is printed and written comes from here. */
export interface DriftResults {
  readonly dtype: FormatName
  readonly seed: number
  readonly inputs: readonly { readonly name: string; readonly about: string }[]
  readonly ops: readonly OpResults[]
}

export interface OpResults {
  readonly operation: Operation
  readonly lengths: readonly number[]
  readonly finding: string
  readonly rows: readonly Measurement[]
  /** The bound of each way that has one, as the last trial gave it. */
  readonly theories: ReadonlyMap<string, ErrorBound>
}

/** Runs every operation asked for. */
export function runDrift(options: DriftOptions, progress: Progress = () => {}): DriftResults {
  const chosen = operations.filter((operation) => options.ops.includes(operation.name))
  const lengthsOf = (operation: Operation): readonly number[] => options.lengths ?? operation.lengths
  const longest = Math.max(...chosen.flatMap((operation) => lengthsOf(operation)))
  const inputs = driftInputs(options.seed, longest)
  const labs = chosen.map(
    (operation): Lab => ({ dtype: options.dtype, seed: options.seed, lengths: lengthsOf(operation), inputs }),
  )
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
    const finding = operation.finding(rows, options.dtype)
    return { operation, lengths: labs[i]!.lengths, finding, rows, theories }
  })
  return {
    dtype: options.dtype,
    seed: options.seed,
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
    bias: found.bias,
    maxUlps: found.maxUlps,
    stallIndex: operation.running ? stall(result, found.stallIndex, reference) : null,
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

/** The place of the last change, if it is a stall: the exact result moved on after it, and the value kept is wrong. */
function stall(result: Tensor, place: number | null, reference: Float64Array): number | null {
  if (place === null) return null
  const format = result.dtype as FormatName
  const [then, end] = [reference[place - 1]!, reference[reference.length - 1]!]
  const moved = Math.abs(end - then) > ulp(1, format) * Math.max(Math.abs(then), Math.abs(end))
  const wrong = Math.abs(result.toNumbers()[result.size - 1]! - end) > ulp(end, format)
  return moved && wrong ? place : null
}
