import { checkArray, checkInteger } from '../../../base/options/index.js'
import { readable } from '../../../base/text/index.js'
import { foldIn, key, normal, uniform } from '../../../tensors/random/index.js'

/** A sequence that the operations run on, in float64, before it is rounded to the dtype under test. */
export interface DriftInput {
  readonly name: string
  readonly about: string
  readonly values: Float64Array
}

/** Mamba draws its initial dt log-uniformly from this range; doi:10.48550/arXiv.2312.00752, section 3.6. */
export const stepRange = { min: 1e-3, max: 1e-1 } as const

/**
 * Gaps between events as the steps of a state space model: the median gap becomes the geometric middle of the range
 * that such a model starts from (0.01), so that half of the steps are on either side of it, and what falls outside
 * of the range is clipped to its ends. Beyond the table's end the gaps start over.
 */
export function asSteps(gaps: readonly number[], n: number): { values: Float64Array; clipped: number } {
  checkArray('asSteps', 'gaps', gaps)
  checkInteger('asSteps', 'n', n)
  const sorted = [...gaps].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
  const middle = Math.sqrt(stepRange.min * stepRange.max)
  const scaled = gaps.map((gap) => (gap / median) * middle)
  const steps = scaled.map((step) => Math.min(stepRange.max, Math.max(stepRange.min, step)))
  const clipped = scaled.filter((step, i) => step !== steps[i]).length / gaps.length
  return { values: Float64Array.from({ length: n }, (_, i) => steps[i % steps.length]!), clipped }
}

/** Gaps between events that were recorded, such as the tables of `tpu-toolkit/data`. */
export interface RecordedGaps {
  readonly name: string
  /** What is recorded, for a reader: 'earthquakes (USGS, one week)'. */
  readonly what: string
  readonly gaps: readonly number[]
}

function recordedInput({ name, what, gaps }: RecordedGaps, n: number): DriftInput {
  const { values, clipped } = asSteps(gaps, n)
  const laps = n > gaps.length ? `; lengths beyond ${readable(gaps.length)} start the table over` : ''
  const about = `${readable(gaps.length)} gaps between ${what}, median scaled to 0.01, clipped to [0.001, 0.1] (${(100 * clipped).toFixed(1)} % are)${laps}`
  return { name, about, values }
}

/** All inputs, n values of each: the recorded ones, then made ones from the seed. A shorter input is the beginning of a longer one. */
export function driftInputs(recorded: readonly RecordedGaps[], seed: number, n: number): DriftInput[] {
  checkArray('driftInputs', 'recorded', recorded)
  const root = key(seed)
  const mapped = (values: Float32Array, map: (x: number) => number): Float64Array =>
    Float64Array.from(values, map)
  return [
    ...recorded.map((gaps) => recordedInput(gaps, n)),
    { name: 'constant 0.1', about: '0.1 in every place', values: new Float64Array(n).fill(0.1) },
    { name: 'ones', about: '1 in every place', values: new Float64Array(n).fill(1) },
    { name: 'uniform', about: 'uniform in [0, 1)', values: mapped(uniform(foldIn(root, 1), n), (x) => x) },
    {
      name: 'softplus-normal',
      about: 'log(1 + exp(z)), z standard normal',
      values: mapped(normal(foldIn(root, 2), n), (z) => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)))),
    },
    {
      name: 'lognormal',
      about: '0.01 exp(z), z standard normal: median 0.01, heavy tail',
      values: mapped(normal(foldIn(root, 3), n), (z) => 0.01 * Math.exp(z)),
    },
  ]
}

/** n standard normal numbers of a stream of their own: for matrices and samples. */
export function normalDraws(seed: number, stream: number, n: number): Float64Array {
  return Float64Array.from(normal(foldIn(key(seed), 100 + stream), n))
}
