import type { OptionTable } from '../../base/options/index.js'
import type { GradientRules } from '../../tensors/autodiff/index.js'
import { dtypeFacts, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import { recorded } from '../program/program.js'
import { bitsBetween } from '../reals/bitsBetween.js'
import { replay } from '../replay/replay.js'
import { isWide, type Value } from '../replay/wideArithmetic.js'
import { firstOrder } from './firstOrder.js'
import type { ShadowRun } from './shadowRun.js'

/** What the result owes to one operation. */
export interface Contribution {
  /** Number of the step. */
  readonly step: number
  /** Bits that the output would gain if this one operation did not round, found by running again; absent if not run. */
  readonly gain?: number
  /** The same to first order: its rounding errors times the output's derivative there. Absent where there is no gradient. */
  readonly firstOrder?: number
  /** Its share of the output's error, in steps of the output's dtype: the shares add up to the error, to first order. */
  readonly share?: number
}

/** Which contributions to find. */
export interface ContributionOptions {
  /** Run again without rounding: every operation, or this many, the first of the first-order ranking. Default 64. */
  readonly rerun?: number | 'all'
  /** Gradient rules of custom operations. */
  readonly gradientRules?: GradientRules
}

export const contributionNames: OptionTable<ContributionOptions> = {
  rerun: 'optional',
  gradientRules: 'optional',
}

/**
 * The cost of each rounding operation for the output, best remedy first. A gain is the difference in mean bits of error
 * over the output's elements, before a last rounding; negative where errors had cancelled.
 */
export function contributionsOf<W>(
  run: ShadowRun<W>,
  { rerun = 64, gradientRules }: ContributionOptions,
): Contribution[] {
  if (rerun !== 'all' && !(Number.isInteger(rerun) && rerun >= 0)) {
    throw new RangeError(`contributions: rerun is not a count [${String(rerun)}]`)
  }
  const { program, arithmetic } = run
  const steps = [...program.steps.keys()].filter((i) => {
    const { op, output } = program.steps[i]!
    return isFloat(output.dtype) && kindOf(op) === 'rounds'
  })
  const predicted = firstOrder(run, steps, gradientRules)
  const all = steps.map((step): Contribution => ({ step, ...predicted?.predictions.get(step) }))
  const byPrediction = [...all].sort(descending((x) => x.firstOrder ?? 0))
  const chosen = rerun === 'all' ? all : byPrediction.slice(0, rerun)
  const before = bitsOff(run, replay(program, () => 'own', arithmetic).valueOf)
  const gains = new Map(
    chosen.map(({ step }) => {
      const again = replay(program, (i) => (i === step ? 'exact' : 'own'), arithmetic)
      return [step, before - bitsOff(run, again.valueOf)]
    }),
  )
  return all
    .map((x): Contribution => {
      const gain = gains.get(x.step)
      return gain === undefined ? x : { ...x, gain }
    })
    .sort(descending((x) => x.gain ?? Math.min(x.firstOrder ?? 0, 0)))
}

/** Larger ones first; a NaN last. */
function descending(key: (x: Contribution) => number): (a: Contribution, b: Contribution) => number {
  return (a, b) => (key(b) || 0) - (key(a) || 0) || a.step - b.step
}

/** The mean bits that output elements are off, those that depend on a diverged decision left out. */
export function bitsOff<W>(
  { program, arithmetic, reference, tainted }: ShadowRun<W>,
  valueOf: (operand: number | Tensor) => Value<W>,
): number {
  let total = 0
  let count = 0
  for (const output of program.outputs) {
    const { dtype, size } = recorded(program, output)
    if (!isFloat(dtype)) continue
    const flagged = typeof output === 'number' ? tainted.get(output - program.inputs.length) : undefined
    const value = valueOf(output)
    const got = isWide(value) ? value.wide : arithmetic.widen(value)
    const bits = bitsBetween(got, reference.valueOf(output), dtypeFacts(dtype))
    for (let i = 0; i < size; i++) {
      if (flagged?.[i]) continue
      total += bits(i)
      count++
    }
  }
  return count === 0 ? 0 : total / count
}
