import { checkFunction, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type Op, Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { type Program, programOf, recorded, type TensorFunction } from '../program/program.js'
import { checkDeterministic } from '../replay/checkRun.js'
import type { ElementBound } from './elementBounds.js'
import { type OpenDecision, openDecisions } from './openDecisions.js'
import { runningBounds } from './runningBounds.js'
import type { Bounded } from './sumBounds.js'

/** How a computation is certified. */
export interface CertifyOptions {
  /** Run `f` once more, to see whether it is deterministic. Default true. */
  readonly check?: boolean
  /** Bounds of elementwise custom operations; a record that has `exact`, as those of `kernels`, needs none. */
  readonly rules?: ReadonlyMap<Op, ElementBound>
}

const certifyNames: OptionTable<CertifyOptions> = { check: 'optional', rules: 'optional' }

/** Values with bounds: every output is within its bound of the exact result. */
export interface Certificate {
  /** The outputs as computed. */
  readonly results: readonly Tensor[]
  /** For each output an upper bound of |computed - exact|, element by element. Infinity where nothing is known. */
  readonly bounds: readonly Tensor<'float64'>[]
  /** The same for every step, in order; of bools 0 where the decision is certain, 1 where the errors leave it open. */
  readonly steps: readonly Tensor<'float64'>[]
  /** The decisions that the errors leave open, in the order of the run: which ties, comparisons and positions. */
  readonly open: readonly OpenDecision[]
  readonly program: Program
  /** The names of operations without a rule; what depends on them is unbounded. */
  readonly unknown: readonly string[]
}

/**
 * Runs a computation and carries with each value a bound of its error: the exact result, of the same operations on the same
 * inputs without any rounding, lies within the bound of the computed one.
 *
 * A running error analysis: an operation's own rounding is not bounded by half an ulp but measured, in float64 or twice its
 * precision, so that an exact operation adds nothing; operands' bounds spread by interval ends or by derivatives.
 *
 * Shape     outputs as computed, bounds alike, float64. Dtype any; inputs and tensors that `f` closes over are exact by
 *           definition. What `f` computes from those, and a plain number that rounding to a dtype changed, has its error.
 * Rounding  bounds are inflated at every step to cover their own; the functions of Math are trusted to a relative 2^-44.
 *           An operation whose record has `exact`, its unrounded form, is compared with that in float64, and
 *           operands' bounds spread through it; one that only promises a `bound` has it on exact operands.
 * Special   Infinity where the exact result may be undefined (log of a number that may be negative, 1 / what may be 0),
 *           after an overflow, and downstream of an operation without a rule. A comparison that the errors leave open is taken
 *           both ways. Of a maximum or minimum that several elements may be, the gradient lies between nothing and all of
 *           it for each of them.
 * Throws    inputs that are not finite, or no floating-point result: RangeError, TypeError.
 * Cost      20 to 60 ns an element of each step, a matrix product 10 ns a multiplication.
 * Source    Higham, Accuracy and Stability, 2nd ed., 3.3, doi:10.1137/1.9780898718027; see `sumBounds.ts` for sums.
 *
 * @example certify(([a, b]) => sub(a, b), [tensor(3), tensor(1)]).bounds[0].item() // 0
 */
export function certify<T extends Treelike>(
  f: TensorFunction<T>,
  inputs: T,
  options: CertifyOptions = {},
): Certificate {
  checkFunction('certify', 'f', f)
  checkOptions('certify', options, certifyNames)
  const { check = true, rules } = options
  if (rules !== undefined && !(rules instanceof Map)) {
    throw new TypeError(`certify: rules are not a Map from operations to bounds [${shown(rules)}]`)
  }
  const first = programOf('certify', f, inputs)
  const program = check ? checkDeterministic('certify', first, f, inputs, { sites: true }) : first
  const { boundedOf, unknown } = runningBounds(program, { rules })
  const asTensor = ({ shape, bounds }: Bounded): Tensor<'float64'> => new Tensor('float64', shape, bounds)
  return {
    results: program.outputs.map((output) => recorded(program, output)),
    bounds: program.outputs.map((output) => asTensor(boundedOf(output))),
    steps: program.steps.map((_, i) => asTensor(boundedOf(program.inputs.length + i))),
    open: openDecisions(program, boundedOf),
    program,
    unknown: [...unknown],
  }
}
