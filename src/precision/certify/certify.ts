import { logAddExpOp } from '../../numerics/index.js'
import { checkFunction, checkOptions, type OptionTable } from '../../options/index.js'
import {
  broadcastPlaces,
  dtypeFacts,
  entryOf,
  isFloat,
  movedPlaces,
  type Op,
  ops,
  Tensor,
} from '../../tensor/index.js'
import type { Tree } from '../../tree/index.js'
import { constantOf } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import {
  type Operand,
  type Program,
  programOf,
  recorded,
  type Step,
  type TensorFunction,
} from '../program/program.js'
import { checkDeterministic } from '../replay/checkRun.js'
import { boundRules } from './boundRules.js'
import { type ElementBound, elementBounds } from './elementBounds.js'
import { type Bounded, exactly } from './sumBounds.js'
import { apart, boundOf, up } from './upward.js'

/** How a computation is certified. */
export interface CertifyOptions {
  /** Run `f` once more, to see whether it is deterministic. Default true. */
  readonly check?: boolean
  /** Bounds of elementwise operations of one's own. */
  readonly rules?: ReadonlyMap<Op, ElementBound>
}

const certifyNames: OptionTable<CertifyOptions> = { check: 'optional', rules: 'optional' }

/** Values with bounds: every output is within its bound of the exact result. */
export interface Certificate {
  /** The outputs as computed. */
  readonly results: readonly Tensor[]
  /** For each output an upper bound of |computed - exact|, element by element. Infinity where nothing is known. */
  readonly bounds: readonly Tensor<'float64'>[]
  /** The same for every step, in order; of bools and integers 0 where the decision is certain, Infinity where it is not. */
  readonly steps: readonly Tensor<'float64'>[]
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
 * Special   Infinity where the exact result may be undefined (log of a number that may be negative, 1 / what may be 0),
 *           after an overflow, and behind an operation without a rule. A comparison that the errors leave open is taken
 *           both ways.
 * Throws    inputs that are not finite, or no floating-point result: RangeError, TypeError.
 * Cost      20 to 60 ns an element of each step, a matrix product 10 ns a multiplication.
 * Source    Higham, Accuracy and Stability, 2nd ed., 3.3, doi:10.1137/1.9780898718027; see `sumBounds.ts` for sums.
 *
 * @example certify(([a, b]) => sub(a, b), [tensor(3), tensor(1)]).bounds[0].item() // 0
 */
export function certify<T extends Tree>(
  f: TensorFunction<T>,
  inputs: T,
  options: CertifyOptions = {},
): Certificate {
  checkFunction('certify', 'f', f)
  checkOptions('certify', options, certifyNames)
  const { check = true, rules } = options
  const program = programOf('certify', f, inputs)
  if (check) checkDeterministic('certify', program, f, inputs)
  const known = program.inputs.map(exactly)
  const unknown = new Set<string>()
  const boundedOf = (operand: Operand): Bounded =>
    typeof operand === 'number' ? known[operand]! : exactly(operand)
  for (const step of program.steps) {
    const result = exactly(step.output)
    if (!bound(step, step.operands.map(boundedOf), result, program, rules)) {
      result.bounds.fill(Infinity)
      unknown.add(step.op.name)
    }
    known.push(result)
  }
  const asTensor = ({ shape, bounds }: Bounded): Tensor<'float64'> => new Tensor('float64', shape, bounds)
  return {
    results: program.outputs.map((output) => recorded(program, output)),
    bounds: program.outputs.map((output) => asTensor(boundedOf(output))),
    steps: known.slice(program.inputs.length).map(asTensor),
    program,
    unknown: [...unknown],
  }
}

/** Fills in the bounds of a step's result; false where there is no rule. */
function bound(
  step: Step,
  args: readonly Bounded[],
  result: Bounded,
  program: Program,
  rules: ReadonlyMap<Op, ElementBound> | undefined,
): boolean {
  const { op, attributes, output } = step
  const narrow = step.operands.every((operand) => {
    const { dtype } = recorded(program, operand)
    return isFloat(dtype) && dtypeFacts(dtype).precision <= 26
  })
  const constant = constantOf(step)
  if (constant !== undefined) {
    result.bounds[0] = up(apart(constant, result.values[0]!))
    return true
  }
  if (kindOf(op) === 'moves') {
    move(op, attributes, args, result)
    return true
  }
  const whole =
    !isFloat(output.dtype) || args.some((_, k) => !isFloat(recorded(program, step.operands[k]!).dtype))
  const rule = entryOf(boundRules, op)
  if (rule && 'decision' in rule) rule.decision(args, attributes, result)
  else if (op === ops.cast) convert(args[0]!, result, isFloat(output.dtype))
  else if (whole) certainOnly(args, result)
  else if (rule && 'reduction' in rule) rule.reduction(args, attributes, result, narrow)
  else {
    const own = op === logAddExpOp ? elementBounds.logAddExp : rule?.element
    const element = rules?.get(op) ?? own
    if (!element) return false
    elementwise(element, args, result, narrow)
  }
  return true
}

function move(op: Op, attributes: unknown, args: readonly Bounded[], result: Bounded): void {
  const places = movedPlaces(
    op,
    attributes,
    args.map((x) => x.shape),
  )
  const [only] = args
  const all = args.length === 1 ? only!.bounds : args.flatMap(({ bounds }) => Array.from(bounds))
  for (let i = 0; i < places.length; i++) result.bounds[i] = places[i]! < 0 ? 0 : all[places[i]!]!
}

function elementwise(rule: ElementBound, args: readonly Bounded[], result: Bounded, narrow: boolean): void {
  const places = args.map((x) => broadcastPlaces(x.shape, result.shape))
  const values = new Array<number>(args.length)
  const bounds = new Array<number>(args.length)
  for (let i = 0; i < result.values.length; i++) {
    for (let k = 0; k < args.length; k++) {
      const at = places[k]?.[i] ?? i
      values[k] = args[k]!.values[at]!
      bounds[k] = args[k]!.bounds[at]!
    }
    const r = result.values[i]!
    // Behind something unknown there may be no exact result at all. And an infinity is a number only if one went in.
    const known = Number.isFinite(r) || (!Number.isNaN(r) && values.some((value) => !Number.isFinite(value)))
    const given = known && bounds.every((bound) => bound < Infinity)
    result.bounds[i] = given ? boundOf(rule(values, bounds, r, narrow)) : Infinity
  }
}

/** A cast: what it moved the value by comes on top; to integers and bool only a certain value stays one. */
function convert(x: Bounded, result: Bounded, float: boolean): void {
  for (let i = 0; i < x.values.length; i++) {
    const [value, r, e] = [x.values[i]!, result.values[i]!, x.bounds[i]!]
    if (float) result.bounds[i] = Number.isNaN(r) ? Infinity : boundOf(up(e + apart(value, r)))
    else result.bounds[i] = e === 0 ? 0 : Infinity
  }
}

/** Operations on integers and bools are exact on exact operands, and nothing is known of others. */
function certainOnly(args: readonly Bounded[], result: Bounded): void {
  const certain = args.every(({ bounds }) => bounds.every((e) => e === 0))
  result.bounds.fill(certain ? 0 : Infinity)
}
