import { checkFunction, checkRecord } from '../../base/options/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import { checkTransformation } from '../checkTransformation.js'
import { type GradientTransformation, type State, stateless } from '../transformation.js'
import { type EmaOptions, ema } from './ema.js'

/** Something measured of updates: a tree of tensors. */
export type Measure = (updates: Treelike) => Tree

/** What was measured last, by name. */
export type SnapshotState = { readonly measurements: Readonly<Record<string, Tree>> }

/** What was measured last, by name, and the states of the measures. */
export type MonitorState = SnapshotState & { readonly measureStates: readonly State[] }

/**
 * Updates as they are, and something measured of them in the state: a link for `chain`. Of the state before the first step it is measured of the
 * parameters.
 *
 * @example const last = snapshot('norm', (updates) => globalNorm(updates))
 * last.update([tensor([3, 4])], last.init([tensor([0, 0])]))[1].measurements.norm.item() // 5
 */
export function snapshot(measureName: string, measure: Measure): GradientTransformation<SnapshotState> {
  checkFunction('snapshot', 'measure', measure)
  const state = (of: Treelike): SnapshotState => ({ measurements: { [measureName]: measure(of) } })
  return { init: state, update: (updates) => [updates, state(updates)] }
}

/**
 * Updates as they are, and several things measured of them in the state: functions, or transformations such as `measureWithEma`, whose updates are
 * the measurements. There are none before the first step.
 *
 * @example const norms = monitor({ norm: (updates) => globalNorm(updates), mean: measureWithEma((updates) => globalNorm(updates), 0.5) })
 * const seen = norms.update([tensor([3, 4])], norms.init([tensor([0, 0])]))[1].measurements
 * [seen.norm.item(), seen.mean.item()] // [5, 5]
 */
export function monitor(
  measures: Readonly<Record<string, Measure | GradientTransformation<never>>>,
): GradientTransformation<MonitorState> {
  checkRecord('monitor', 'measures', measures)
  const parts = Object.entries(measures).map(([name, measure]) => {
    if (typeof measure !== 'function') checkTransformation('monitor', name, measure)
    const part = typeof measure === 'function' ? measured(measure) : measure
    return [name, part as unknown as GradientTransformation] as const
  })
  return {
    init: (params) => ({ measurements: {}, measureStates: parts.map(([, part]) => part.init(params)) }),
    update(updates, { measureStates }, params, extra) {
      const results = parts.map(
        ([name, part], i) =>
          [name, part.update(updates as Treelike, measureStates[i]!, params, extra)] as const,
      )
      const measurements = Object.fromEntries(results.map(([name, [value]]) => [name, value as Tree]))
      return [updates, { measurements, measureStates: results.map(([, [, state]]) => state) }]
    },
  }
}

/**
 * A running mean of something measured of updates, for `monitor`: its updates are the mean, as `ema` keeps it.
 *
 * @example const mean = measureWithEma((updates) => globalNorm(updates), 0.5, { debias: false })
 * mean.update([tensor([3, 4])], mean.init([tensor([0, 0])]))[0].item() // 2.5
 */
export function measureWithEma(
  measure: Measure,
  decay: Scalar,
  options: EmaOptions = {},
): GradientTransformation<readonly State[]> {
  checkFunction('measureWithEma', 'measure', measure)
  const mean = ema(decay, options)
  return chain(measured(measure), { ...mean, init: (params) => mean.init(measure(params) as never) })
}

const measured = (measure: Measure): GradientTransformation =>
  stateless((updates) => measure(updates) as never)
