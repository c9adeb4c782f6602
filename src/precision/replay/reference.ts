import { cast, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import type { WideArithmetic } from './wideArithmetic.js'

/** A run without rounding beside the recorded one. */
export interface ReferenceRun<W> {
  readonly valueOf: (operand: Operand) => W
  /** By step: what it would have decided on the reference's own operands, where steps decide. */
  readonly decisions: ReadonlyMap<number, Tensor>
}

/**
 * Runs a program without rounding. Where a step decides (a comparison, floor, argmax) the reference follows the recorded
 * decision, so that both runs stay the same program, and keeps its own beside it; or, if asked, goes by its own.
 */
export function referenceRun<W>(
  program: Program,
  arithmetic: WideArithmetic<W>,
  follows: 'recorded' | 'own' = 'recorded',
): ReferenceRun<W> {
  const values: W[] = program.inputs.map(arithmetic.widen)
  const constants = new Map<Tensor, W>()
  const decisions = new Map<number, Tensor>()
  const valueOf = (operand: Operand): W => {
    if (typeof operand === 'number') return values[operand]!
    let value = constants.get(operand)
    if (value === undefined) {
      value = arithmetic.widen(operand)
      constants.set(operand, value)
    }
    return value
  }
  for (const [i, step] of program.steps.entries()) {
    const args = step.operands.map(valueOf)
    if (kindOf(step.op) !== 'decides' && isFloat(step.output.dtype)) {
      values.push(arithmetic.run(step, args))
      continue
    }
    const decision = step.op.kernel(
      args.map((arg, k) => ofOperand(arithmetic.toFloat64(arg), recorded(program, step.operands[k]!))),
      step.attributes,
    )
    decisions.set(i, decision)
    values.push(arithmetic.widen(follows === 'own' ? decision : step.output))
  }
  return { valueOf, decisions }
}

/** Integers and bools as their kernels take them: an arithmetic of numbers does not know what they were. */
function ofOperand(x: Tensor, { dtype }: Tensor): Tensor {
  return isFloat(dtype) || x.dtype === dtype ? x : cast(x, dtype)
}
