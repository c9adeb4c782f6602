import { checkRecord } from '../../base/options/index.js'
import { cast, type FloatDType, isFloat, roundsOf, type Tensor } from '../../tensors/tensor/index.js'
import { isConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded, type Step } from '../program/program.js'
import { accumulatorOf, type Choice, roundedBy } from './choice.js'
import { runWidened } from './dtypeArithmetic.js'
import { isWide, type Policy, type Value, type WideArithmetic } from './wideArithmetic.js'

/** The values of a program run again: of its inputs, its steps and its outputs. */
export interface Replay<W> {
  /** The values of an input, a constant or a step's result in this run. */
  readonly valueOf: (operand: Operand) => Value<W>
}

/**
 * Runs a recorded program again, every step by its policy: in its own dtype, in another one, or unrounded. Operands are
 * taken as they are, whatever their width, and a step that rounds does it once, from its exact result.
 *
 * Steps that only move, pick or negate pass on what they get. Reductions of wider operands first round these to their
 * accumulation dtype where that cannot hold them, as they always do. Only what differs from the recording is computed.
 */
export function replay<W>(
  program: Program,
  policyOf: (step: number) => Policy,
  arithmetic: WideArithmetic<W>,
): Replay<W> {
  checkRecord('replay', 'program', program, ['inputs', 'steps'])
  const n = program.inputs.length
  const changed = new Map<number, Value<W>>()
  const valueOf = (operand: Operand): Value<W> =>
    (typeof operand === 'number' ? changed.get(operand) : undefined) ?? recorded(program, operand)
  for (const [i, step] of program.steps.entries()) {
    const policy = isFloat(step.output.dtype) && kindOf(step.op) === 'rounds' ? policyOf(i) : 'own'
    const touched = step.operands.some((operand) => typeof operand === 'number' && changed.has(operand))
    if (policy === 'own' && !touched) continue
    const value = runStep(step, step.operands.map(valueOf), policy, arithmetic, i)
    if (isWide(value) || !sameBits(value, step.output)) changed.set(n + i, value)
  }
  return { valueOf }
}

/** Runs one step by a policy, on operands of any width; `number` is where it stands, for what is drawn. */
export function runStep<W>(
  step: Step,
  args: readonly Value<W>[],
  policy: Policy,
  arithmetic: WideArithmetic<W>,
  number = 0,
): Value<W> {
  const dtype = step.output.dtype
  if (policy === 'own' && !args.some(isWide)) return step.op.kernel(args as Tensor[], step.attributes)
  const wide = args.map((arg) => (isWide(arg) ? arg.wide : arithmetic.widen(arg)))
  if (!isFloat(dtype)) return step.op.kernel(wide.map(arithmetic.toFloat64), step.attributes)
  if (policy === 'exact' || kindOf(step.op) !== 'rounds') return { wide: arithmetic.run(step, wide) }
  if (typeof policy === 'object') {
    const exact = adds(step)
      ? runWidened(step, wide.map(arithmetic.toFloat64), accumulatorOf(step, policy))
      : arithmetic.toFloat64(arithmetic.run(step, wide))
    return { wide: arithmetic.widen(roundedBy(exact, isConstant(step) ? toNearest(policy) : policy, number)) }
  }
  const target = policy === 'own' ? dtype : policy
  const result = adds(step)
    ? cast(runWidened(step, wide.map(arithmetic.toFloat64), policy === 'own' ? undefined : policy), target)
    : arithmetic.narrow(arithmetic.run(step, wide), target as FloatDType)
  return target === dtype ? result : { wide: arithmetic.widen(result) }
}

/** The same, rounded to nearest: a constant is fixed when the program is written. */
export function toNearest(choice: Choice): Choice {
  return { ...choice, rounding: 'nearest' }
}

/** Whether a step rounds on the way to its result, in an accumulation dtype. */
export function adds({ op }: Step): boolean {
  return roundsOf(op) === 'each step'
}

/** Whether two tensors of one dtype and shape hold the same bits; all float32 NaN count as one. */
export function sameBits(a: Tensor, b: Tensor): boolean {
  if (a.data === b.data) return true
  const [x, y] = [a.data, b.data]
  for (let i = 0; i < x.length; i++) if (!Object.is(x[i], y[i])) return false
  return a.dtype === b.dtype
}
