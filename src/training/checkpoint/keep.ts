import {
  checkInteger,
  checkName,
  checkOptions,
  checkText,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'

/** What is known of a checkpoint without reading its tensors. */
export interface CheckpointFacts {
  readonly step: number
  /** What was measured when it was saved. */
  readonly metrics: Readonly<Record<string, number>>
}

/** Which checkpoints a rule wants to stay, of those there are in the order of their steps. */
export type KeepRule = (checkpoints: readonly CheckpointFacts[]) => readonly number[]

/** Options of `best`. */
export interface BestOptions {
  /** Whether a small or a large value is a good one. Default 'min'. */
  readonly mode?: 'min' | 'max'
}

const bestNames: OptionTable<BestOptions> = { mode: 'optional' }

/**
 * Keeps the newest n checkpoints.
 *
 * @example latest(2)([1, 5, 9].map((step) => ({ step, metrics: {} }))) // [5, 9]
 */
export function latest(n: number): KeepRule {
  checkInteger('latest', 'n', n, 1)
  return (checkpoints) => checkpoints.slice(-n).map(({ step }) => step)
}

/**
 * Keeps every checkpoint whose step n divides.
 *
 * @example every(4)([2, 4, 6, 8].map((step) => ({ step, metrics: {} }))) // [4, 8]
 */
export function every(n: number): KeepRule {
  checkInteger('every', 'n', n, 1)
  return (checkpoints) => checkpoints.map(({ step }) => step).filter((step) => step % n === 0)
}

/**
 * Keeps the n checkpoints with the best value of a metric, of equals the earlier.
 *
 * Special   one without the metric, or whose metric is NaN, is never the best.
 *
 * @example const losses = [3, 1, NaN, 2].map((loss, i) => ({ step: i, metrics: { loss } }))
 * best(2, 'loss')(losses) // [1, 3]
 */
export function best(n: number, metric: string, options: BestOptions = noOptions): KeepRule {
  checkInteger('best', 'n', n, 1)
  checkText('best', 'metric', metric)
  checkOptions('best', options, bestNames, { positional: 'mode' })
  const { mode = 'min' } = options
  checkName('best', 'mode', mode, ['min', 'max'])
  const sign = mode === 'min' ? 1 : -1
  return (checkpoints) =>
    checkpoints
      .flatMap(({ step, metrics }) => {
        const value = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined
        return value === undefined || Number.isNaN(value) ? [] : [{ step, value: sign * value }]
      })
      .sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : a.step - b.step))
      .slice(0, n)
      .map(({ step }) => step)
}

/** The steps that no rule wants; the newest checkpoint always stays. Without rules all stay. */
export function unwanted(checkpoints: readonly CheckpointFacts[], rules: readonly KeepRule[]): number[] {
  if (rules.length === 0) return []
  const wanted = new Set(rules.flatMap((rule) => [...rule(checkpoints)]))
  return checkpoints
    .slice(0, -1)
    .map(({ step }) => step)
    .filter((step) => !wanted.has(step))
}
