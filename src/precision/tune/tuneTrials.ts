import type { FloatDType } from '../../tensors/tensor/index.js'
import { leavesOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import type { Program } from '../program/program.js'
import type { GroupBy } from '../program/stepName.js'
import type { ReferenceRun } from '../replay/reference.js'
import { type NamedPolicy, stepsOfNamed, widePolicyOf } from './namedPolicies.js'
import { type WideCost, wideCost } from './tuneCost.js'
import type { TuneGroup } from './tuneGroups.js'
import type { Trial, TuneOptions } from './tuneOptions.js'
import type { TuneStage } from './tuneSearch.js'
import { errorsOf, errorTarget, type Measured, measureRun, outputErrors } from './tuneTarget.js'
import { type WidePolicy, withPolicy } from './withPolicy.js'

/** What a fixed policy comes to. */
export interface NamedResult extends Measured {
  readonly name: string
  readonly source: string
  /** The operations that ran wide. */
  readonly wide: readonly string[]
  readonly cost: WideCost
}

/** The trials of a search, each set run once. */
export interface Trials {
  readonly tried: readonly Trial[]
  readonly run: (set: readonly TuneGroup[], stage: TuneStage) => Trial
  readonly policyOf: (set: readonly TuneGroup[]) => WidePolicy
  /** Runs a set again, errors in another way, and throws unless it comes to the same. */
  readonly verify: (set: readonly TuneGroup[]) => void
  readonly named: (policy: NamedPolicy) => NamedResult
  /** How many sets may be tried to prove a point, if nobody says. */
  readonly exhaustive: number
}

/** Trials of a function on inputs. */
export function trialsOf<T extends Treelike, R extends Tree>({
  f,
  inputs,
  program,
  reference,
  options: { target, onTrial, earlier = [] },
  narrow,
  dtype,
  groupBy,
}: {
  readonly f: (inputs: T) => R
  readonly inputs: T
  readonly program: Program
  readonly reference: ReferenceRun<unknown>
  readonly options: TuneOptions<T, R>
  readonly narrow: FloatDType
  readonly dtype: FloatDType
  readonly groupBy: GroupBy
}): Trials {
  const error = errorTarget(target)
  const tried: Trial[] = []
  const known = new Map<string, Trial>()
  const recalled = new Map(earlier.map((trial) => [nameKey(trial.wide), trial]))

  const policyOf = (set: readonly TuneGroup[]): WidePolicy => ({
    wide: set.map(({ name }) => name),
    dtype,
    narrow,
    groupBy,
  })

  function measure(steps: ReadonlySet<number>, policy: WidePolicy): Measured {
    if (!error) return measureRun(target, withPolicy(f, policy))
    const value = outputErrors(program, (i) => (steps.has(i) ? dtype : 'own'), reference)[error.name]
    return { value, met: value <= error.limit }
  }

  function run(set: readonly TuneGroup[], stage: TuneStage): Trial {
    const steps = new Set(set.flatMap((group) => group.steps))
    const key = [...steps].sort((a, b) => a - b).join()
    let trial = known.get(key)
    if (!trial) {
      const policy = policyOf(set)
      const before = recalled.get(nameKey(policy.wide))
      // The ends are run anew, to see that the earlier trials are of this search.
      const kept = stage === 'ends' ? undefined : before
      trial = kept ?? { wide: policy.wide, stage, ...measure(steps, policy) }
      if (before) checkSame(policy.wide, before.value, trial.value)
      known.set(key, trial)
      tried.push(trial)
      if (!kept) onTrial?.(trial, tried.length)
    }
    return trial
  }

  function verify(set: readonly TuneGroup[]): void {
    const before = run(set, 'ends').value
    const tuned = withPolicy(f, policyOf(set))
    const again = error
      ? errorsOf(program, leavesOf(tuned(inputs)), reference)[error.name]
      : measureRun(target, tuned).value
    if (recalled.has(nameKey(policyOf(set).wide))) checkSame(policyOf(set).wide, before, again)
    if (!Object.is(again, before)) {
      throw new RangeError(
        `tune: the target is not deterministic, two runs of one set differ [${before}, then ${again}]`,
      )
    }
  }

  function named(policy: NamedPolicy): NamedResult {
    const steps = stepsOfNamed(program, policy, narrow)
    const wide = widePolicyOf(program, steps, { dtype, narrow })
    return {
      name: policy.name,
      source: policy.source,
      wide: wide.wide,
      cost: wideCost(program, steps, dtype),
      ...measure(steps, wide),
    }
  }

  return { tried, run, policyOf, verify, named, exhaustive: error ? 4096 : 0 }
}

/** A set by its names, in whatever order. */
const nameKey = (names: readonly string[]): string => [...names].sort().join('\n')

function checkSame(wide: readonly string[], before: number, now: number): void {
  if (Object.is(before, now)) return
  throw new RangeError(
    `tune: the earlier trials are of another search, with ${wide.join(', ') || 'nothing'} wide [${before}, now ${now}]`,
  )
}
