import {
  cast,
  dtypeFacts,
  type FloatDType,
  isFloat,
  type Op,
  ops,
  sizeOf,
  type Tensor,
} from '../../tensor/index.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'
import { type RealRule, realArithmetic } from '../reals/realArithmetic.js'
import { dtypeArithmetic } from '../replay/dtypeArithmetic.js'
import { referenceRun } from '../replay/reference.js'
import type { Candidate } from './candidates.js'
import { runForm } from './rerun.js'

/** What rewrites are measured against. */
export interface RewriteReference {
  readonly name: 'float64' | 'real'
  /** The exact value of an operand, rounded once. */
  readonly exactOf: (operand: Operand, dtype: FloatDType) => Tensor
}

/** Elements of all results up to which reals cost nothing to speak of, and up to which they are worth their time. */
const fewElements = 4_000
const mostElements = 100_000

/** Bits between two ways to compute a value in float64 from which one of them has lost it, in steps of the own dtype. */
const apart = 0.05

/**
 * Reals for small programs; for larger ones float64, unless a stable form that is run in float64 differs there from what the
 * program says.
 */
export function rewriteReference(
  program: Program,
  candidates: readonly Candidate[],
  asked: 'float64' | 'real' | undefined,
  rules?: ReadonlyMap<Op, RealRule>,
): RewriteReference {
  const elements = work(program)
  if (asked === 'float64' || (asked === undefined && elements > fewElements)) {
    const arithmetic = dtypeArithmetic('float64')
    const { valueOf } = referenceRun(program, arithmetic)
    const name = 'float64'
    const fits = asked === 'float64' || elements > mostElements
    if (fits || !candidates.some((candidate) => disagrees(program, candidate, valueOf)))
      return { name, exactOf: (operand, dtype) => arithmetic.narrow(valueOf(operand), dtype) }
  }
  const arithmetic = realArithmetic(rules)
  const { valueOf } = referenceRun(program, arithmetic)
  return { name: 'real', exactOf: (operand, dtype) => arithmetic.narrow(valueOf(operand), dtype) }
}

/** Whether a form, in float64, gives something else than the steps do there. */
function disagrees(program: Program, { forms }: Candidate, valueOf: (operand: Operand) => Tensor): boolean {
  for (const [i, form] of forms) {
    if (form.wider) continue
    const value = valueOf(program.inputs.length + i)
    const other = runForm(form, value, valueOf)
    const grid = dtypeFacts(program.steps[i]!.output.dtype)
    const [x, y] = [cast(value, 'float64').data, cast(other, 'float64').data]
    for (let k = 0; k < x.length; k++) if (bitsApart(Number(x[k]), Number(y[k]), grid) > apart) return true
  }
  return false
}

function work(program: Program): number {
  return program.steps.reduce((total, { op, operands, output }) => {
    if (!isFloat(output.dtype)) return total
    const [a] = operands
    const inner = op === ops.matmul ? (recorded(program, a!).shape.at(-1) ?? 1) : 1
    const lanes = a === undefined ? 1 : sizeOf(recorded(program, a).shape)
    return total + Math.max(output.size * inner, lanes)
  }, 0)
}
