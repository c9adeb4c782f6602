import {
  checkFunction,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import type { FloatDType, Op } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { isIgnored } from '../program/isIgnored.js'
import { type Operand, programOf, type TensorFunction } from '../program/program.js'
import type { RealRule } from '../reals/realArithmetic.js'
import { checkDeterministic } from '../replay/checkRun.js'
import { type BitsKept, bitsKept } from './bitsKept.js'
import { type Candidate, candidatesOf } from './candidates.js'
import { chooseRewrites } from './chooseRewrites.js'
import { Graph } from './graph.js'
import { rerun } from './rerun.js'
import { rewriteReference } from './rewriteReference.js'
import { rewriteText } from './rewriteText.js'
import type { Rewrite, Rewriting } from './rewriting.js'
import { sourceNames } from './sourceNames.js'
import { writtenForm } from './writtenForm.js'

/** How rewrites are looked for. */
export interface RewriteOptions {
  /** What results are measured against. Default 'auto', as in `shadow`. */
  readonly reference?: 'auto' | 'float64' | 'real'
  /** Right bits that a rewrite has to add, in the mean over the outputs' elements or in the worst one. Default .25. */
  readonly atLeast?: number
  /** Source lines to leave alone: `model.ts:12`, or a file. Default none. */
  readonly ignore?: readonly string[]
  /** Unrounded forms of elementwise custom operations, for 'real'. */
  readonly rules?: ReadonlyMap<Op, RealRule>
}

const rewriteNames: OptionTable<RewriteOptions> = {
  reference: 'optional',
  atLeast: 'optional',
  ignore: 'optional',
  rules: 'optional',
}

/**
 * Finds patterns that lose bits and proposes replacements: log1p(x) for log(1 + x), variance(x) for
 * E[x^2] - E[x]^2, softmax, logsumexp, softplus, sums in a wider accumulator, and so on. Every proposal was run on the inputs
 * and measured against the reference; only those that add right bits to the outputs are reported, as the calls that were run.
 *
 * Rounding  a rewrite computes in the dtype of what it replaces, unless its text says otherwise, and rounds to that.
 * Throws    as `shadow`; RangeError for options that are none.
 * Cost      a run for each pattern found on a line, and some for those that help; reals where float64 cannot tell.
 * Source    the idea for scalars: Herbie, doi:10.1145/2737924.2737959; the forms are textbook ones, Higham's Accuracy and
 *           Stability of Numerical Algorithms, 1.7 to 1.14 and Hamming's Numerical Methods, 3.
 *
 * @example suggestRewrites((x) => log(add(1, x)), tensor([1e-5])).rewrites[0].to // 'log1p(x)'
 */
export function suggestRewrites<T extends Treelike>(
  f: TensorFunction<T>,
  inputs: T,
  options: RewriteOptions = {},
): Rewriting {
  checkFunction('suggestRewrites', 'f', f)
  checkOptions('suggestRewrites', options, rewriteNames)
  const { atLeast = 0.25, ignore = [], reference = 'auto', rules } = options
  checkNumber('suggestRewrites', 'atLeast', atLeast, 0)
  checkName('suggestRewrites', 'reference', reference, ['auto', 'float64', 'real'])
  const program = programOf('suggestRewrites', f, inputs, { sites: true })
  checkDeterministic('suggestRewrites', program, f, inputs)
  const graph = new Graph(program)
  const candidates = candidatesOf(graph).filter(({ site }) => !isIgnored(site, ignore))
  const against = rewriteReference(program, candidates, reference, rules)
  const exactOf = (operand: Operand, dtype: FloatDType) => against.exactOf(operand, dtype)
  const measure = (
    chosen: readonly Candidate[],
    operands: readonly Operand[] = program.outputs,
  ): BitsKept => {
    const forms = new Map(chosen.flatMap(({ forms: own }) => [...own]))
    return bitsKept(program, operands, rerun(program, forms), exactOf)
  }
  const before = measure([])
  const chosen = chooseRewrites({ candidates, measure, before, atLeast, n: program.inputs.length })
  const after = chosen.length === 0 ? before : measure(chosen)
  const names = sourceNames(f, inputs)
  const rewrites = chosen.map((candidate): Rewrite => {
    const { site, forms } = candidate
    return {
      ...writtenForm(graph, candidate, names),
      ...{ site, steps: [...forms.keys()] },
      alone: chosen.length === 1 ? after : measure([candidate]),
      without: chosen.length === 1 ? before : measure(chosen.filter((other) => other !== candidate)),
    }
  })
  const found = { reference: against.name, before, after, rewrites, candidates: candidates.length }
  return { ...found, toString: () => rewriteText(found) }
}
