import { earthquakeGaps } from '../data/index.js'

/** The experiments by name. */
export type ExperimentName = 'gap' | 'uniform' | 'earthquakes'

/** What an experiment's sequences are made of. The model's step is softplus(g_t dt_gap + dt_bias), g the clock. */
export interface Experiment {
  /** One line for a reader. */
  readonly about: string
  /** Calibrated: for 'gap' and 'uniform' it puts the NaN of the naive form near step 2750. */
  readonly lr: number
  readonly length: number
  readonly longest: number
  /** Sequences; the run goes through them over and over. */
  readonly rows: number
  /** The long first step, null where there is none. */
  readonly gap: number | null
  /** The rate |A| and the usual step that the parameters begin with, and those that made the outputs. */
  readonly start: { readonly rate: number; readonly step: number }
  readonly teacher: { readonly rate: number; readonly step: number }
  /** The clock g: of a row, [length], one for all rows where `sharedClock`. */
  readonly clock: (row: number, length: number) => Float64Array
  readonly sharedClock: boolean
  /** The parameter dt_gap of a model whose usual step has this bias. */
  readonly dtGap: (bias: number, gap: number | null) => number
}

/** The number whose softplus is y. */
export function softplusInverse(y: number): number {
  return Math.log(Math.expm1(y))
}

const meanGap = earthquakeGaps.reduce((total, gap) => total + gap, 0) / earthquakeGaps.length

/** All experiments. */
export const experiments: Readonly<Record<ExperimentName, Experiment>> = {
  gap: {
    about: 'one long step first, then equal ones',
    lr: 2.75e-4,
    length: 128,
    longest: 4096,
    rows: 1024,
    gap: 16,
    start: { rate: 7, step: 0.03 },
    teacher: { rate: 7, step: 0.07 },
    clock: (_, length) => Float64Array.from({ length }, (_, i) => (i === 0 ? 1 : 0)),
    sharedClock: true,
    dtGap: (bias, gap) => softplusInverse(gap!) - bias,
  },
  uniform: {
    about: 'equal steps only',
    lr: 2.37e-4,
    length: 384,
    longest: 4096,
    rows: 256,
    gap: null,
    start: { rate: 3.2, step: 0.04 },
    teacher: { rate: 3.2, step: 0.066 },
    clock: (_, length) => new Float64Array(length),
    sharedClock: true,
    dtGap: () => 0,
  },
  earthquakes: {
    about: 'steps as long as the time between real earthquakes',
    lr: 2.75e-4,
    length: 128,
    longest: earthquakeGaps.length,
    rows: 256,
    gap: null,
    start: { rate: 7, step: 0.03 },
    teacher: { rate: 7, step: 0.07 },
    // With dt_gap = 1 the step is log1p(exp(dt_bias) gap / mean): proportional to the gap while it is small.
    clock(row, length) {
      const first = (row * length) % (earthquakeGaps.length - length + 1)
      return Float64Array.from({ length }, (_, i) => Math.log(earthquakeGaps[first + i]! / meanGap))
    },
    sharedClock: false,
    dtGap: () => 1,
  },
}
