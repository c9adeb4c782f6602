import { checkArray, checkOptions, checkRecord, type OptionNames } from '../../base/options/index.js'
import { checkRun, type Step2750Options, type Step2750Run, step2750Options } from './step2750Options.js'

/** A list of values for each option of the experiment that is to vary; an option without a list keeps its default. */
export type SweepLists = {
  readonly [K in keyof Step2750Options]?: readonly NonNullable<Step2750Options[K]>[]
}

/** Outer lists first: the last varies fastest. */
const nesting: readonly (keyof Step2750Options)[] = [
  'experiment',
  'seed',
  'length',
  'gap',
  'steps',
  'dtype',
  'form',
  'cumsum',
  'broadcastSum',
  'zeroNans',
  'lr',
]

const listNames: OptionNames = Object.fromEntries(nesting.map((option) => [option, 'optional']))

/**
 * Every combination of the values, each once, with all defaults filled in.
 *
 * Throws    RangeError for a list that is empty and for a combination that cannot be run.
 *
 * @example sweepGrid({ lr: [1e-4, 2e-4], cumsum: ['sequential', 'stable'] }).length // 4
 * sweepGrid({ steps: [] }) // throws sweepGrid: an empty list [steps]
 */
export function sweepGrid(lists: SweepLists): Step2750Run[] {
  checkRecord('sweepGrid', 'lists', lists)
  checkOptions('sweepGrid', lists, listNames)
  let combinations: Step2750Options[] = [{}]
  for (const option of nesting) {
    const values = lists[option]
    if (values === undefined) continue
    checkArray('sweepGrid', option, values)
    if (values.length === 0) throw new RangeError(`sweepGrid: an empty list [${option}]`)
    combinations = combinations.flatMap((rest) => values.map((value) => ({ ...rest, [option]: value })))
  }
  const runs = combinations.map((options) => step2750Options(options))
  return [...new Map(runs.map((run) => [runKey(run), run])).values()]
}

/** What two runs have in common exactly if they are the same run. */
export function runKey(run: Step2750Run): string {
  checkRun('runKey', run)
  return JSON.stringify(Object.entries(run).sort(([a], [b]) => (a < b ? -1 : 1)))
}
