import { cast, dtypeFacts, type FloatDType, type Op, type Tensor } from '../../tensors/tensor/index.js'
import type { Operand, Program } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'
import type { RealRule } from '../reals/realArithmetic.js'
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
  const { inFloat64 } = chosen
  if (!inFloat64 || !affordsReals(program)) return of(chosen)
  const lost = candidates.some((candidate) => disagrees(program, candidate, inFloat64.valueOf))
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
