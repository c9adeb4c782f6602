import { dtypeFacts, isFloat, ops, type Tensor } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import { recorded } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'
import type { ShadowRun } from './shadowRun.js'
import { type ErrorSummary, summarize } from './summarize.js'

/** Where the problem is ill-conditioned: an operation's error on exact operands. */
export interface LocalError {
  /** Number of the step. */
  readonly step: number
  /** Bits between the operation, run on the reference's operands rounded to their dtype, and the reference rounded. */
  readonly bits: ErrorSummary
}

/**
 * The local errors of all steps that round. It is the subtraction that cancels that has one, though that subtraction may be
 * exact: what to do about it is another question, which `contributions` answers.
 *
 * Source    Sanchez-Stern, Panchekha, Lerner, Tatlock, Finding root causes of floating point error, doi:10.1145/3192366.3192411
 */
export function localErrorsOf<W>({ program, arithmetic, reference, tainted }: ShadowRun<W>): LocalError[] {
  return [...program.steps.entries()].flatMap(([i, step]): LocalError[] => {
    const { dtype, size } = step.output
    // A cast is as accurate as its operand: in a wider dtype the operand's own rounding would look like a loss.
    if (!isFloat(dtype) || kindOf(step.op) !== 'rounds' || step.op === ops.cast) return []
    const args = step.operands.map((operand): Tensor => {
      const own = recorded(program, operand)
      const exact = reference.valueOf(operand)
      return isFloat(own.dtype) ? arithmetic.narrow(exact, own.dtype) : own
    })
    const got = step.op.kernel(args, step.attributes).toNumbers()
    const exact = arithmetic.narrow(reference.valueOf(program.inputs.length + i), dtype).toNumbers()
    const grid = dtypeFacts(dtype)
    const bits = summarize(size, (k) => bitsApart(got[k]!, exact[k]!, grid), tainted.get(i))
    return [{ step: i, bits }]
  })
}
