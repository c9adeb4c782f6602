import { checkInteger, checkOptions, checkRecord, type OptionTable, shown } from '../../base/options/index.js'
import type { Judge } from './judge.js'
import type { Schedule } from './schedule.js'
import type { Search } from './search.js'
import { makeTrial, type Params, type Trial } from './trial.js'

/** The initial configurations, their steps, and how many are promoted. */
export interface AshaOptions {
  /** Where the configurations come from: `grid`, `random` or `sobol`. */
  readonly over: Search
  /** One in `eta` of the trials of a rung is promoted to the next, which runs `eta` times as far. Default: 3. */
  readonly eta?: number
  /** How far every configuration runs. */
  readonly minSteps: number
  /** How far the best run. */
  readonly maxSteps: number
}

const names: OptionTable<AshaOptions> = {
  ...{ over: 'required', eta: 'optional', minSteps: 'required', maxSteps: 'required' },
}

/**
 * Asynchronous successive halving: every configuration runs a little, and whenever a place is free the best of those who
 * finished a rung so far, one in eta, goes on from there; no place waits for others. Which goes on depends on the order in which
 * trials end, and the file of results keeps that order.
 *
 * A configuration is promoted if it is among the best floor(n / eta) of the n that have finished its rung by then. One that was let
 * through early may be found to be none of them later: so more than floor(n / eta) may go on in the end, never fewer.
 * One whose metric counts as the worst is not promoted.
 *
 * Source    L. Li et al., A System for Massively Parallel Hyperparameter Tuning, MLSys 2020, algorithm 2, arXiv:1810.05934
 *
 * @example asha({ over: grid(), minSteps: 10, maxSteps: 100, eta: 3 }).rungs // { eta: 3, steps: [10, 30, 90, 100] }
 */
export function asha(options: AshaOptions): Search {
  checkOptions('asha', options, names)
  const { over, eta = 3, minSteps, maxSteps } = options
  checkRecord('asha', 'over', over, ['name', 'configurations'])
  if (over.rungs !== undefined) {
    throw new RangeError(`asha: over is a search by rungs itself [${shown(over.name)}]`)
  }
  checkInteger('asha', 'eta', eta, 2, 1000)
  checkInteger('asha', 'minSteps', minSteps, 1)
  checkInteger('asha', 'maxSteps', maxSteps, minSteps)
  const steps: number[] = []
  for (let at = minSteps; at < maxSteps; at *= eta) steps.push(at)
  return { name: 'asha', configurations: over.configurations, rungs: { eta, steps: [...steps, maxSteps] } }
}

/** One that finished a rung. */
interface Finished {
  readonly index: number
  readonly rank: number
}

/** What is run next under `asha`: a function of the reported rows and their order. */
export function ashaSchedule(
  configurations: readonly Params[],
  { eta, steps }: NonNullable<Search['rungs']>,
  judge: Judge,
): Schedule {
  /** Of each rung: the trials that finished it, best first, and the promoted ones. */
  const rungs = steps.map(() => ({ finished: [] as Finished[], wentOn: new Set<number>() }))
  const places = new Map<string, { readonly index: number; readonly rung: number }>()
  let begun = 0
  const begin = (index: number, rung: number): Trial => {
    const trial = makeTrial(configurations[index]!, steps[rung]!)
    places.set(trial.key, { index, rung })
    return trial
  }
  const counts = steps.map((_, k) => Math.floor(configurations.length / eta ** k))
  return {
    total: counts.reduce((sum, count) => sum + count, 0),
    next: () => {
      // Those that came furthest first.
      for (let rung = steps.length - 2; rung >= 0; rung--) {
        const { finished, wentOn } = rungs[rung]!
        const best = finished.slice(0, Math.floor(finished.length / eta))
        const chosen = best.find(({ index, rank }) => !wentOn.has(index) && rank < Number.POSITIVE_INFINITY)
        if (chosen === undefined) continue
        wentOn.add(chosen.index)
        return begin(chosen.index, rung + 1)
      }
      return begun < configurations.length ? begin(begun++, 0) : undefined
    },
    tell: (trial, row) => {
      const { index, rung } = places.get(trial.key)!
      const { finished } = rungs[rung]!
      const rank = judge(row)
      const worse = finished.findIndex((one) => one.rank > rank || (one.rank === rank && one.index > index))
      finished.splice(worse === -1 ? finished.length : worse, 0, { index, rank })
    },
  }
}
