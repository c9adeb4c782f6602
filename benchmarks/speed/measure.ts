import type { Operation } from './operation.js'

/** Nanoseconds per element, or per multiply-add, over the runs of one operation. */
export interface Timing {
  readonly op: string
  readonly n: number
  readonly min: number
  readonly median: number
  /** The middle half of the runs, as a share of the median. */
  readonly spread: number
  readonly runs: number
}

/** How long to measure, in milliseconds and runs. */
export interface Budget {
  /** Until then the engine may compile and the clock of the machine settle. */
  readonly warmUp: number
  /** Enough time and runs; there are never fewer runs than `fewest`. */
  readonly enough: number
  readonly runs: number
  readonly fewest: number
  /** A run shorter than this is repeated within one reading of the clock. */
  readonly shortest: number
  /** Elements at most, where an operation can have fewer. */
  readonly most: number
}

export const thorough: Budget = {
  ...{ warmUp: 150, enough: 600, runs: 200, fewest: 12, shortest: 1 },
  most: Number.POSITIVE_INFINITY,
}

/** Checks the result of one run, warms up, and times at least the fewest runs. */
export function measure(operation: Operation, budget: Budget): Timing {
  const { op, whole } = operation
  const n = whole ? operation.n : Math.min(operation.n, budget.most)
  const { run, check } = operation.prepare(n)
  run()
  check()
  const begin = performance.now()
  let warm = 0
  do {
    run()
    warm++
  } while (performance.now() - begin < budget.warmUp)
  const repeats = Math.max(1, Math.ceil((budget.shortest * warm) / (performance.now() - begin)))
  const times: number[] = []
  const start = performance.now()
  while (
    times.length < budget.fewest ||
    (times.length < budget.runs && performance.now() - start < budget.enough)
  ) {
    const from = performance.now()
    for (let i = 0; i < repeats; i++) run()
    times.push(((performance.now() - from) / repeats) * (1e6 / n))
  }
  return { op, n, ...summarise(times) }
}

/** Least, median and spread of some times. */
export function summarise(times: readonly number[]): Pick<Timing, 'min' | 'median' | 'spread' | 'runs'> {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!
  return { min: at(0), median: at(0.5), spread: (at(0.75) - at(0.25)) / at(0.5), runs: sorted.length }
}
