import {
  checkArray,
  checkFunction,
  checkInteger,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { dtypeFacts, type FloatDType, type Op } from '../../tensors/tensor/index.js'
import { leavesOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { isConstant } from '../program/constantOf.js'
import { programOf, type Step } from '../program/program.js'
import { checkGroupBy, type GroupBy } from '../program/stepName.js'
import type { RealRule } from '../reals/realArithmetic.js'
import { checkDeterministic } from '../replay/checkRun.js'
import { accumulatorOf, type Choice, checkChoice, choiceText } from '../replay/choice.js'
import { adds } from '../replay/replay.js'
import { chosenReference, type Doubt } from '../trust/chosenReference.js'
import { groupsOf, usualGroups } from './tuneGroups.js'
import { checkTarget, errorsOf, errorTarget, measureRun, outputErrors, type Target } from './tuneTarget.js'
import { type WidePolicy, withPolicy } from './withPolicy.js'

/** What one operation costs if it runs a certain way. */
export type ChoiceCost = (choice: Choice, step: Step) => number

/** What may be chosen from, and what is wanted. */
export interface TuneChoicesOptions<T, R> {
  readonly target: Target<T, R>
  /** The ways in which an operation may run: dtypes by themselves, or with an accumulator, at random, saturating. */
  readonly choices: readonly (FloatDType | Choice)[]
  /** The dtype whose operations are chosen for: those of another one stay as they are. Default 'bfloat16'. */
  readonly narrow?: FloatDType
  /** Default: the bits of the result, and for a sum as many as its accumulator has. */
  readonly costOf?: ChoiceCost
  /** What is chosen together. Default as in `tune`: each operation by itself, above 100 of them lines. */
  readonly groupBy?: GroupBy
  /** Rounds of trials over all groups. Default 2. */
  readonly rounds?: number
  readonly reference?: 'auto' | 'float64' | 'real'
  readonly rules?: ReadonlyMap<Op, RealRule>
}

const choicesNames: OptionTable<TuneChoicesOptions<unknown, unknown>> = {
  target: 'required',
  choices: 'required',
  narrow: 'optional',
  costOf: 'optional',
  groupBy: 'optional',
  rounds: 'optional',
  reference: 'optional',
  rules: 'optional',
}

/** What was chosen for one group of operations. */
export interface Chosen {
  readonly name: string
  readonly sites: readonly string[]
  readonly choice: Choice
  /** The choice in words: `bfloat16, adds in float32`. */
  readonly text: string
  readonly cost: number
}

/** What a search among several ways to run found. */
export interface ChoiceTuning {
  /** Whether the target can be met; if not, the most precise choices are given. */
  readonly met: boolean
  /** By group, in the order of the run. */
  readonly chosen: readonly Chosen[]
  /** The answer for `withPolicy`. */
  readonly policy: WidePolicy
  /** What the target's measure comes to with it. */
  readonly value: number
  readonly cost: number
  /** Cost and measure with the most precise choice everywhere. */
  readonly dearest: { readonly cost: number; readonly value: number }
  /** How many sets of choices were tried. */
  readonly trials: number
  readonly reference: FloatDType | 'real'
  readonly doubt: Doubt | undefined
}

/**
 * For every operation one of several ways to run, cheap, so that a target is met: dtypes, accumulators, stochastic rounding.
 * It begins with the most precise one everywhere and makes group after group as cheap as the target allows, those first whose
 * cheapest choice does least harm alone; no single group can be made cheaper in the end, though two together might.
 *
 * Rounding  an operation takes its operands as they are and rounds its exact result once, as the choice says; 'stochastic' is
 *           one draw, by the key and the step.
 * Throws    RangeError or TypeError for a target or an option that is none, and where nothing runs in `narrow`.
 * Cost      a replay a trial: at most groups times choices times rounds; runs: one run each.
 * Source    the descent is Precimonious', doi:10.1145/2503210.2503296
 *
 * @example tuneChoices((x) => mul(x, 3), tensor([1, 2], { dtype: 'bfloat16' }), { target: { maxBits: 0 }, choices: ['float8_e4m3fn', 'bfloat16'] }).chosen[0].text // 'float8_e4m3fn'
 */
export function tuneChoices<T extends Treelike, R extends Tree>(
  f: (inputs: T) => R,
  inputs: T,
  options: TuneChoicesOptions<T, R>,
): ChoiceTuning {
  checkFunction('tuneChoices', 'f', f)
  checkOptions('tuneChoices', options, choicesNames)
  const { target, narrow = 'bfloat16', rounds = 2, costOf = bitsOf, reference = 'auto', rules } = options
  checkTarget(target)
  checkFunction('tuneChoices', 'costOf', costOf)
  checkInteger('tuneChoices', 'rounds', rounds, 1)
  checkGroupBy('tuneChoices', options.groupBy ?? 'operation')
  checkArray('tuneChoices', 'choices', options.choices)
  const choices = options.choices.map((choice) => (typeof choice === 'string' ? { dtype: choice } : choice))
  if (choices.length === 0) throw new RangeError('tuneChoices: nothing to choose from [choices: []]')
  for (const choice of choices) checkChoice('tuneChoices', choice)
  const program = programOf('tuneChoices', f, inputs, { sites: true })
  checkDeterministic('tuneChoices', program, f, inputs)
  const groupBy = options.groupBy ?? usualGroups(program, narrow)
  const groups = groupsOf(program, { narrow, groupBy })
  if (groups.length === 0) {
    throw new RangeError(`tuneChoices: no operation runs in ${narrow}, cast the inputs []`)
  }
  const beside = chosenReference(program, reference, rules)
  const error = errorTarget(target)
  const known = new Map<string, { value: number; met: boolean }>()

  const policyOf = (set: readonly number[]): WidePolicy => ({
    wide: [],
    narrow,
    groupBy,
    choices: Object.fromEntries(groups.map(({ name }, g) => [name, choices[set[g]!]!])),
  })
  const measure = (set: readonly number[]): { value: number; met: boolean } => {
    const key = set.join()
    let found = known.get(key)
    if (!found) {
      if (error) {
        const byStep = new Map(groups.flatMap(({ steps }, g) => steps.map((i) => [i, choices[set[g]!]!])))
        const value = outputErrors(program, (i) => byStep.get(i) ?? 'own', beside.run)[error.name]
        found = { value, met: value <= error.limit }
      } else {
        found = measureRun(target, withPolicy(f, policyOf(set)))
      }
      known.set(key, found)
    }
    return found
  }
  // Constants are there in any dtype.
  const paid = groups.map(({ steps }) =>
    steps.map((i) => program.steps[i]!).filter((step) => !isConstant(step)),
  )
  const costs = paid.map((steps) =>
    choices.map((choice) => steps.reduce((sum, step) => sum + costOf(choice, step), 0)),
  )
  const widest = mostPrecise(choices)
  const start = groups.map(() => widest)
  const total = (set: readonly number[]): number => set.reduce((sum, c, g) => sum + costs[g]![c]!, 0)
  let set = start
  if (measure(start).met) {
    const cheap = costs.map((list) => cheapestFirst(list))
    const harm = groups.map((_, g) => measure(replaced(start, g, cheap[g]![0]!)).value)
    // A verdict of the user's own may grow with quality; only errors and metrics are an order.
    const order = [...groups.keys()].sort((a, b) => ('holds' in target ? 0 : harm[a]! - harm[b]!) || a - b)
    for (let round = 0; round < rounds; round++) {
      const before = set
      for (const g of order) {
        const better = cheap[g]!.find(
          (c) => costs[g]![c]! < costs[g]![set[g]!]! && measure(replaced(set, g, c)).met,
        )
        if (better !== undefined) set = replaced(set, g, better)
      }
      if (set === before) break
    }
  }
  const { value, met } = measure(set)
  if (error) {
    verify(value, errorsOf(program, leavesOf(withPolicy(f, policyOf(set))(inputs)), beside.run)[error.name])
  }
  return {
    met,
    chosen: groups.map(({ name, sites }, g): Chosen => {
      const choice = choices[set[g]!]!
      return { name, sites, choice, text: choiceText(choice), cost: costs[g]![set[g]!]! }
    }),
    policy: policyOf(set),
    value,
    cost: total(set),
    dearest: { cost: total(start), value: measure(start).value },
    trials: known.size,
    reference: beside.reference,
    doubt: beside.doubt,
  }
}

function verify(before: number, again: number): void {
  if (!Object.is(before, again)) {
    throw new RangeError(
      `tuneChoices: the target is not deterministic, two runs of one set differ [${before}, then ${again}]`,
    )
  }
}

/** The bits that a result takes, and those of the accumulator behind it. */
function bitsOf(choice: Choice, step: Step): number {
  const accumulator = adds(step) ? dtypeFacts(accumulatorOf(step, choice)).bits : 0
  return step.output.size * (dtypeFacts(choice.dtype).bits + accumulator)
}

/** The choice with the most bits of significance, then of range, then in its accumulator; of equals one to nearest. */
function mostPrecise(choices: readonly Choice[]): number {
  const rank = ({ dtype, accumulate, rounding = 'nearest' }: Choice): number[] => {
    const { precision, max } = dtypeFacts(dtype)
    return [precision, max, dtypeFacts(accumulate ?? dtype).precision, rounding === 'nearest' ? 1 : 0]
  }
  let best = 0
  for (let c = 1; c < choices.length; c++) {
    const [a, b] = [rank(choices[c]!), rank(choices[best]!)]
    const first = a.findIndex((x, k) => x !== b[k])
    if (first >= 0 && a[first]! > b[first]!) best = c
  }
  return best
}

function cheapestFirst(costs: readonly number[]): number[] {
  return [...costs.keys()].sort((a, b) => costs[a]! - costs[b]! || a - b)
}

function replaced(set: readonly number[], at: number, choice: number): number[] {
  return set.map((c, g) => (g === at ? choice : c))
}
