import type { GradientRules } from '../../tensors/autodiff/index.js'
import { isFloat } from '../../tensors/tensor/index.js'
import { constantText, isConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { recorded, type Step } from '../program/program.js'
import { replay } from '../replay/replay.js'
import { bitsOff } from './contributions.js'
import { elementErrors, numbers } from './elementErrors.js'
import { firstOrder } from './firstOrder.js'
import type { ShadowRun } from './shadowRun.js'

/** What the result owes to one operation of one source line, or to one constant, in all the steps that it ran. */
export interface ErrorGroup {
  /** `mul`; of a constant that rounding changed `constant 0.999, which is 1 in bfloat16`. */
  readonly name: string
  /** Where it was called; undefined where that was not recorded. */
  readonly site: string | undefined
  /** Numbers of the steps. */
  readonly steps: readonly number[]
  /**
   * Its share of the outputs' error, to first order: shares add up to 1, and one below 0 made others good. Absent where an
   * operation has no gradient rule.
   */
  readonly share?: number
  /** Whether a result is infinite or 0 that is not so exactly; `gain` then is that of everything behind it too. Default false. */
  readonly saturated?: boolean
  /** Bits that the outputs gain in the mean if none of these steps rounds, found by running again; the first groups only. */
  readonly gain?: number
}

/** Steps up to which each is reported by itself where source lines were not recorded. */
const fewSteps = 40

/** Groups that are run again. */
const runAgain = 8

/**
 * The steps that round, by source line and operation, those that cost most first: by their shares, or by what they gain where
 * shares do not explain the error (at a kink, behind an overflow, where they cancel).
 */
export function errorGroupsOf<W>(run: ShadowRun<W>, rules?: GradientRules): ErrorGroup[] {
  const { program, arithmetic } = run
  const members = new Map<string, number[]>()
  for (const [i, step] of program.steps.entries()) {
    if (!isFloat(step.output.dtype) || kindOf(step.op) !== 'rounds') continue
    const key = `${nameOf(step)} ${step.site ?? (program.steps.length <= fewSteps ? i : '')}`
    const known = members.get(key)
    if (known) known.push(i)
    else members.set(key, [i])
  }
  const steps = [...members.values()].flat()
  const predicted = firstOrder(run, steps, rules)
  const total = steps.reduce((sum, i) => sum + (predicted?.predictions.get(i)?.share ?? 0), 0)
  const groups = [...members.values()].map((list): ErrorGroup => {
    const first = program.steps[list[0]!]!
    const group = { name: nameOf(first), site: first.site, steps: list }
    if (!predicted || total === 0) return group
    return { ...group, share: list.reduce((sum, i) => sum + predicted.predictions.get(i)!.share, 0) / total }
  })
  const weight = ({ share, steps: list }: ErrorGroup): number =>
    share === undefined ? introducedBy(run, list) : Math.abs(share)
  const ordered = groups
    .map((group) => ({ group, at: weight(group) }))
    .sort((a, b) => (b.at || 0) - (a.at || 0))
    .map(({ group }) => group)
  const before = bitsOff(run, replay(program, () => 'own', arithmetic).valueOf)
  const saturated = saturatedSteps(run)
  const gained = (group: ErrorGroup): ErrorGroup => {
    const exact = new Set(
      saturated.size > 0 && group.steps.some((i) => saturated.has(i))
        ? behind(run, group.steps)
        : group.steps,
    )
    const again = replay(program, (step) => (exact.has(step) ? 'exact' : 'own'), arithmetic)
    const gain = before - bitsOff(run, again.valueOf)
    return { ...group, gain, ...(exact.size > group.steps.length && { saturated: true }) }
  }
  if (predicted && saturated.size === 0 && explains(groups, total, predicted.error)) {
    return ordered.map((group, i) => (i < runAgain ? gained(group) : group))
  }
  // Shares that cancel, or that miss the error, say little: a second look goes by what was rounded most.
  const rounded = [...groups].sort((a, b) => introducedBy(run, b.steps) - introducedBy(run, a.steps))
  const chosen = new Set([...ordered.slice(0, runAgain), ...rounded.slice(0, runAgain)])
  // Of as good ones the earliest: what reads a saturated result has no part in it.
  const again = [...chosen].map(gained).sort((a, b) => b.gain! - a.gain! || a.steps[0]! - b.steps[0]!)
  return [...again, ...ordered.filter((group) => !chosen.has(group))]
}

/** Whether shares explain the error: they add up to it without cancelling each other. */
function explains(groups: readonly ErrorGroup[], total: number, error: number): boolean {
  if (error === 0) return true
  const sizes = groups.reduce((sum, { share = 0 }) => sum + Math.abs(share), 0)
  return sizes <= 1.5 && total > error / 2 && total < error * 2
}

/** Steps that made an infinity or a 0 of what is neither, where an output is not finite: behind those nothing is left to be lost. */
function saturatedSteps<W>(run: ShadowRun<W>): ReadonlySet<number> {
  const { program } = run
  const wrong = program.outputs.some((output) => {
    if (typeof output !== 'number' || !isFloat(recorded(program, output).dtype)) return false
    const exact = numbers(run.reference.valueOf(output))
    return numbers(run.computed(output)).some((x, i) => !Number.isFinite(x) && Number.isFinite(exact[i]!))
  })
  const found = new Set<number>()
  if (!wrong) return found
  for (const [i, { op, output }] of program.steps.entries()) {
    if (!isFloat(output.dtype) || kindOf(op) !== 'rounds') continue
    const [got, exact] = [numbers(run.computed(program.inputs.length + i)), numbers(run.exact(i))]
    const saturates = (x: number, k: number): boolean =>
      Number.isFinite(x) ? x === 0 && exact[k] !== 0 : Number.isFinite(exact[k]!)
    if (got.some(saturates)) found.add(i)
  }
  return found
}

/** Some steps, and all that read them. */
function behind<W>({ program }: ShadowRun<W>, steps: readonly number[]): readonly number[] {
  const found = new Set(steps)
  const n = program.inputs.length
  for (const [i, { operands }] of program.steps.entries()) {
    if (operands.some((x) => typeof x === 'number' && found.has(x - n))) found.add(i)
  }
  return [...found]
}

function nameOf(step: Step): string {
  return isConstant(step) ? `constant ${constantText(step)}` : step.op.name
}

/** How much some steps rounded, relative to their results: an order where there is no gradient. */
function introducedBy<W>(run: ShadowRun<W>, steps: readonly number[]): number {
  return steps.reduce((sum, i) => {
    const { introduced, reference } = elementErrors(run, i)
    return sum + introduced.reduce((most, e, k) => Math.max(most, Math.abs(e / (reference[k] || 1)) || 0), 0)
  }, 0)
}
