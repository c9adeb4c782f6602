import { cast, dtypeFacts, type FloatDType, type Op, type Tensor } from '../../tensor/index.js'
import type { Operand, Program } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'
import type { RealRule } from '../reals/realArithmetic.js'
import { dtypeArithmetic } from '../replay/dtypeArithmetic.js'
import { referenceRun } from '../replay/reference.js'
import { affordsReals, type ChosenReference, chosenReference } from '../trust/chosenReference.js'
import type { Candidate } from './candidates.js'
import { runForm } from './rerun.js'

/** What rewrites are measured against. */
export interface RewriteReference {
  readonly name: FloatDType | 'real'
  /** The exact value of an operand, rounded once. */
  readonly exactOf: (operand: Operand, dtype: FloatDType) => Tensor
}

/** Bits between two ways to compute a value in float64 from which one of them has lost it, in steps of the own dtype. */
const apart = 0.05

/** The reference of `shadow`; reals too where a stable form that is run in float64 differs there from what the program says. */
export function rewriteReference(
  program: Program,
  candidates: readonly Candidate[],
  asked: 'auto' | 'float64' | 'real',
  rules?: ReadonlyMap<Op, RealRule>,
): RewriteReference {
  const chosen = chosenReference(program, asked, rules)
  if (asked !== 'auto' || chosen.reference === 'real' || !affordsReals(program)) return of(chosen)
  const { valueOf } = referenceRun(program, dtypeArithmetic('float64'))
  const lost = candidates.some((candidate) => disagrees(program, candidate, valueOf))
  return of(lost ? chosenReference(program, 'real', rules) : chosen)
}

function of({ reference, arithmetic, run }: ChosenReference): RewriteReference {
  return { name: reference, exactOf: (operand, dtype) => arithmetic.narrow(run.valueOf(operand), dtype) }
}

/** Whether a form, in float64, gives something else than the steps do there. */
function disagrees(program: Program, { forms }: Candidate, valueOf: (operand: Operand) => Tensor): boolean {
  for (const [i, form] of forms) {
    if (form.wider) continue
    const value = valueOf(program.inputs.length + i)
    const other = runForm(form, value, valueOf)
    const facts = dtypeFacts(program.steps[i]!.output.dtype)
    const [x, y] = [cast(value, 'float64').data, cast(other, 'float64').data]
    for (let k = 0; k < x.length; k++) if (bitsApart(Number(x[k]), Number(y[k]), facts) > apart) return true
  }
  return false
}
