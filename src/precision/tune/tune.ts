import { checkFunction, checkOptions } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { programOf } from '../program/program.js'
import { checkDeterministic } from '../replay/checkRun.js'
import { chosenReference, type Doubt } from '../trust/chosenReference.js'
import { without } from './deltaDebug.js'
import { type WideCost, wideCost } from './tuneCost.js'
import { type TuneGroup, tuneGroups, usualGroups } from './tuneGroups.js'
import { checkTuneOptions, type Trial, type TuneOptions, tuneNames } from './tuneOptions.js'
import { searchSets } from './tuneSearch.js'
import { errorTarget, leastErrors } from './tuneTarget.js'
import { type NamedResult, trialsOf } from './tuneTrials.js'
import type { WidePolicy } from './withPolicy.js'

/** What a search found. */
export interface Tuning {
  /** Whether the target can be met; if not, `wide` is everything there is. */
  readonly met: boolean
  /** What errors were measured against, and why not float64, or why it should not have been: see `shadow`. */
  readonly reference: FloatDType | 'real'
  readonly doubt: Doubt | undefined
  /** The groups to run wide, by name, in the order of the run. */
  readonly wide: readonly string[]
  /** The answer for `withPolicy`. */
  readonly policy: WidePolicy
  /** What the target's measure comes to with it. */
  readonly value: number
  /**
   * What it comes to at best with outputs of these dtypes: the exact result, rounded once. A relative error below it, less than
   * half an ulp or so, is not to be had by any policy, and is not searched for. Undefined of runs.
   */
  readonly floor: number | undefined
  readonly cost: WideCost
  /** Whether every cheaper set was tried and failed, or all sets if the target is not met; else there may be one. */
  readonly least: boolean
  /** The same with one group less, each of which misses the target. */
  readonly without: readonly { readonly name: string; readonly value: number }[]
  /** With nothing wide, and with everything. */
  readonly narrowest: number
  readonly widest: number
  /** What could be made wide, best single cure first. */
  readonly groups: readonly TuneGroup[]
  /** What the fixed policies come to. */
  readonly policies: readonly NamedResult[]
  /** Every trial in order, none twice. */
  readonly tried: readonly Trial[]
}

/**
 * The least set of operations to run in a wider dtype so that a target is met: an error of the outputs, a metric of a
 * training run, or so many steps without a value that is not finite.
 *
 * Groups are ordered by what they gain on `inputs`, each beside those before it. The shortest run of first ones that meets the target is cut by
 * delta debugging and drop-one until no group can go; then every cheaper set is tried, if there are few enough. The answer
 * is run again: errors through `withPolicy` itself.
 *
 * Shape     `inputs` any tree; elements are samples, over which errors are means or maxima. A run's own data are its own.
 * Rounding  as `withPolicy`. Errors are of outputs rounded to the dtypes that f gives them; a NaN is wrong in all bits.
 * Throws    RangeError or TypeError for a target or option that is none, for a function or a run that is not deterministic,
 *           and where nothing runs in `narrow`. A target that nothing meets is an answer: `met` is false.
 * Cost      above 100 operations that could be wide, groups are source lines: a loop counts once. Errors: a replay a trial; runs: one run. Some 2 log n + k^2 trials for k of n groups, and `exhaustive`.
 * Source    delta debugging, doi:10.1109/32.988498; for dtypes: Precimonious, doi:10.1145/2503210.2503296
 *
 * @example tune((x) => sub(add(x, 1), x), tensor(256, { dtype: 'bfloat16' }), { target: { maxBits: 0 } }).wide // ['add#0']
 */
export function tune<T extends Treelike, R extends Tree>(
  f: (inputs: T) => R,
  inputs: T,
  options: TuneOptions<T, R>,
): Tuning {
  checkFunction('tune', 'f', f)
  checkOptions('tune', options, tuneNames)
  const { narrow = 'bfloat16', wide: dtype = 'float32', cost = 'count' } = options
  checkTuneOptions(options, narrow, dtype, cost, options.groupBy ?? 'operation')
  const program = programOf('tune', f, inputs, { sites: true })
  checkDeterministic('tune', program, f, inputs)
  const groupBy = options.groupBy ?? usualGroups(program, narrow)
  const beside = chosenReference(program, options.reference ?? 'auto', options.rules)
  const reference = beside.run
  const groups = tuneGroups(program, { narrow, dtype, groupBy, reference })
  if (groups.length === 0) {
    const dtypes = [...new Set(program.steps.map(({ output }) => output.dtype))]
    throw new RangeError(`tune: no operation runs in ${narrow}, cast the inputs [${dtypes.join(', ')}]`)
  }
  const trials = trialsOf({ f, inputs, program, reference, options, narrow, dtype, groupBy })
  const stepsOf = (set: readonly TuneGroup[]): Set<number> => new Set(set.flatMap(({ steps }) => steps))
  const costOf = (set: readonly TuneGroup[]): WideCost => wideCost(program, stepsOf(set), dtype)
  const error = errorTarget(options.target)
  const floor = error && leastErrors(program, reference)[error.name]
  const found =
    error && floor !== undefined && error.limit < floor
      ? { set: undefined, least: true }
      : searchSets<TuneGroup>({
          items: groups,
          passes: (set, stage) => trials.run(set, stage).met,
          costOf: (set) => costOf(set)[cost],
          exhaustive: options.exhaustive ?? trials.exhaustive,
        })
  const answer = inOrder(found.set ?? groups)
  const { value, met } = trials.run(answer, 'ends')
  trials.verify(answer)
  return {
    met,
    reference: beside.reference,
    doubt: beside.doubt,
    wide: answer.map(({ name }) => name),
    policy: trials.policyOf(answer),
    value,
    floor,
    cost: costOf(answer),
    least: found.least,
    without: found.set
      ? answer.map((group) => ({
          name: group.name,
          value: trials.run(without(answer, [group]), 'drop one').value,
        }))
      : [],
    narrowest: trials.run([], 'ends').value,
    widest: trials.run(groups, 'ends').value,
    groups,
    policies: (options.policies ?? []).map(trials.named),
    tried: trials.tried,
  }
}

function inOrder(set: readonly TuneGroup[]): TuneGroup[] {
  return [...set].sort((a, b) => a.steps[0]! - b.steps[0]!)
}
