import {
  checkArray,
  checkFunction,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import { runStep2750 } from './runStep2750.js'
import type { Step2750Data } from './step2750Data.js'
import type { Step2750Options } from './step2750Options.js'

/** One row of the table: what it changes, and what came of it. */
export interface AblationRow {
  readonly name: string
  readonly options: Step2750Options
  readonly stepsRun: number
  readonly firstNonFiniteStep: number | null
  /** Steps whose loss or gradient is not finite. */
  readonly nonFiniteSteps: number
  /** Median of the last 100 finite losses; null where there is none. */
  readonly medianLoss: number | null
  /** The largest span |A| (cs_end - cs_0) among the recorded steps. */
  readonly largestSpan: number | null
}

/** Forms, running sums and dtypes, each changed alone against the naive run. */
export const ablations: readonly { readonly name: string; readonly options: Step2750Options }[] = [
  { name: 'naive: factorized, bfloat16 cumsum', options: {} },
  { name: "broadcasts' gradients in windows of 32", options: { broadcastSum: 'windowed-32' } },
  { name: 'cumsum in float32, cast back (the recipe)', options: { cumsum: 'stable' } },
  { name: 'float32 kept through the exponent', options: { cumsum: 'stable-keep' } },
  { name: 'cumsum by Kahan', options: { cumsum: 'kahan' } },
  { name: 'cumsum by Neumaier', options: { cumsum: 'neumaier' } },
  { name: 'cumsum in rows of 16 (XLA on a CPU)', options: { cumsum: 'blocked-16' } },
  { name: 'cumsum by associative scan', options: { cumsum: 'associative' } },
  { name: 'cumsum by recursive halves', options: { cumsum: 'pairwise' } },
  { name: 'exponent clamped at 80', options: { form: 'clamped' } },
  { name: 'pairwise, mask before exp', options: { form: 'pairwise' } },
  { name: 'pairwise, mask after exp', options: { form: 'pairwise-mask-after' } },
  { name: 'segsum', options: { form: 'segsum' } },
  { name: 'chunked', options: { form: 'chunked' } },
  { name: 'everything in float32', options: { dtype: 'float32' } },
  { name: 'everything in float16', options: { dtype: 'float16' } },
  { name: 'everything in float8_e5m2', options: { dtype: 'float8_e5m2' } },
  { name: 'naive, then NaN gradients to 0', options: { zeroNans: true } },
]

/** What `ablate` runs, on what, and the functions it calls. */
export interface AblateOptions {
  /** Default: drawn from the options' seed. */
  readonly data?: Step2750Data
  /** Default: `ablations`. */
  readonly rows?: typeof ablations
  /** Called after every step, with the row in progress. */
  readonly onStep?: (row: number, step: number) => void
}

const names: OptionTable<AblateOptions> = { data: 'optional', rows: 'optional', onStep: 'optional' }

/** Runs every row on the same data, seed, rate and steps; `onStep` receives the row in progress. */
export function ablate(shared: Step2750Options, options: AblateOptions = {}): AblationRow[] {
  checkRecord('ablate', 'shared', shared)
  checkOptions('ablate', options, names)
  const { data, rows = ablations, onStep } = options
  checkArray('ablate', 'rows', rows)
  if (onStep !== undefined) checkFunction('ablate', 'onStep', onStep)
  return rows.map(({ name, options }, row) => {
    const { loss, records, firstNonFiniteStep, nonFiniteSteps, stepsRun } = runStep2750(
      { ...shared, ...options },
      { ...(data ? { data } : {}), ...(onStep ? { onStep: (step) => onStep(row, step) } : {}) },
    )
    const finite = [...loss].filter(Number.isFinite).slice(-100)
    const spans = records.flatMap(({ span }) => span ?? [])
    return {
      name,
      options,
      stepsRun,
      firstNonFiniteStep,
      nonFiniteSteps,
      medianLoss: finite.length === 0 ? null : median(finite),
      largestSpan: spans.length === 0 ? null : Math.max(...spans),
    }
  })
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
