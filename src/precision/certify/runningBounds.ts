import {
  broadcastPlaces,
  cast,
  dtypeFacts,
  entryOf,
  isFloat,
  logAddExpOp,
  movedPlaces,
  type Op,
  ops,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { unroundedConstant } from '../program/constantOf.js'
import { extremumTieOf, sharedOut } from '../program/extremumTie.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, programOf, recorded, type Step } from '../program/program.js'
import { boundRules } from './boundRules.js'
import { type ElementBound, elementBounds } from './elementBounds.js'
import { type Bounded, exactly } from './sumBounds.js'
import { sharedBounds, tieBounds } from './tieBounds.js'
import { apart, boundOf, up } from './upward.js'

/** Values with bounds, of inputs, steps and constants, and what could not be bounded. */
export interface RunningBounds {
  readonly boundedOf: (operand: Operand) => Bounded
  /** Names of operations without a rule. */
  readonly unknown: ReadonlySet<string>
}

interface RunningOptions {
  /** Of custom operations. */
  readonly rules?: ReadonlyMap<Op, ElementBound> | undefined
  readonly decided?: boolean
  /** Bounds of the inputs, which are else exact. */
  readonly given?: readonly Float64Array[]
}

/**
 * Carries a bound of its error with every value of a program, step by step. With `decided` the decisions of the run are
 * given: bounds are those of a run that decides alike.
 */
export function runningBounds(
  program: Program,
  { rules, decided = false, given }: RunningOptions,
): RunningBounds {
  const known = program.inputs.map((x, i): Bounded => {
    const bounds = given?.[i]
    return bounds ? { ...exactly(x), bounds } : exactly(x)
  })
  const unknown = new Set<string>()
  const boundedOf = (operand: Operand): Bounded =>
    typeof operand === 'number' ? known[operand]! : exactly(operand)
  for (const step of program.steps) {
    const result = exactly(step.output)
    const follows = decided && (kindOf(step.op) === 'decides' || !isFloat(step.output.dtype))
    const own = { ...(rules && { rules }), decided }
    if (!follows) for (const name of bound(step, boundedOf, result, program, own)) unknown.add(name)
    known.push(result)
  }
  return { boundedOf, unknown }
}

/** Fills in the bounds of a step's result; returns the names of operations without a rule, after which nothing is known. */
function bound(
  step: Step,
  boundedOf: (operand: Operand) => Bounded,
  result: Bounded,
  program: Program,
  options: RunningOptions,
): Iterable<string> {
  const { op, attributes, output } = step
  const args = step.operands.map(boundedOf)
  const narrow = step.operands.every((operand) => {
    const { dtype } = recorded(program, operand)
    return isFloat(dtype) && dtypeFacts(dtype).precision <= 26
  })
  const constant = unroundedConstant(step)
  if (constant) {
    for (const [i, x] of constant.data.entries()) result.bounds[i] = up(apart(Number(x), result.values[i]!))
    return []
  }
  if (kindOf(op) === 'moves') {
    move(op, attributes, args, result)
    return []
  }
  const whole =
    !isFloat(output.dtype) || args.some((_, k) => !isFloat(recorded(program, step.operands[k]!).dtype))
  const rule = entryOf(boundRules, op)
  const own = options.rules?.get(op) ?? (op === logAddExpOp ? elementBounds.logAddExp : undefined)
  const exact = op.exact ?? op.parts
  if (exact && !own && !rule) return throughExact(exact, step, program, args, result, options)
  if (op.bound && !own && !rule && args.every(({ bounds }) => bounds.every((e) => e === 0))) {
    const inputs = step.operands.map((operand) => recorded(program, operand))
    const most = boundOf(op.bound(inputs, attributes))
    for (const [i, r] of result.values.entries()) result.bounds[i] = Number.isNaN(r) ? Infinity : most
    return []
  }
  const tie = extremumTieOf(program, step)
  const shared = sharedOut(program, step)
  if (tie) {
    tieBounds(tie, boundedOf(tie.of), result)
  } else if (rule && 'decision' in rule) {
    rule.decision(args, attributes, result)
    if (shared) sharedBounds(args[0]!, boundedOf(shared.total), result)
  } else if (op === ops.cast) {
    convert(args[0]!, result, isFloat(output.dtype))
  } else if (whole) {
    certainOnly(args, result)
  } else if (rule && 'reduction' in rule) {
    rule.reduction(args, attributes, result, narrow)
  } else {
    const element = own ?? rule?.element
    if (!element) {
      result.bounds.fill(Infinity)
      return [op.name]
    }
    elementwise(element, args, result, narrow)
  }
  return []
}

/**
 * Of an operation that says what it would be without rounding: that is run in float64 on the operands as computed, bounds and
 * all, and the result is off by as much as it is away from there besides.
 */
function throughExact(
  exact: NonNullable<Op['exact']>,
  { attributes, operands }: Step,
  program: Program,
  args: readonly Bounded[],
  result: Bounded,
  options: RunningOptions,
): ReadonlySet<string> {
  const wide = operands.map((operand) => {
    const x = recorded(program, operand)
    return isFloat(x.dtype) ? cast(x, 'float64') : x
  })
  // A decision is no float: the operands go out beside it, since a program has a floating-point result.
  const f = (inputs: readonly Tensor[]): Tensor[] => [exact(inputs, attributes), ...inputs]
  const inner = programOf('certify', f, wide, { nonFinite: true })
  const { boundedOf, unknown } = runningBounds(inner, { ...options, given: args.map(({ bounds }) => bounds) })
  const near = boundedOf(inner.outputs[0]!)
  for (const [i, r] of result.values.entries()) {
    result.bounds[i] = boundOf(up(near.bounds[i]! + apart(near.values[i]!, r)))
  }
  return unknown
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

/** A cast: what it moved the value by comes on top, of an open bool 1; to integers and bool only a certain value stays one. */
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
