import { type UnaryName, unaryNames } from '../../numbers/functions/index.js'
import {
  broadcastPlaces,
  cast,
  entryOf,
  isFloat,
  lanesRead,
  logAddExpOp,
  movedPlaces,
  noRows,
  type Op,
  type OpTable,
  opName,
  ops,
  placesRead,
  type Reads,
  reads,
  type Shape,
  sizeOf,
  Tensor,
} from '../../tensors/tensor/index.js'
import { isConstant, unroundedConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import type { Step } from '../program/program.js'
import { runWidened } from '../replay/dtypeArithmetic.js'
import type { WideArithmetic } from '../replay/wideArithmetic.js'
import {
  magnitude,
  minus,
  negative,
  order,
  over,
  plus,
  type Real,
  realOf,
  root,
  times,
  toFloat64,
  toFloat64ToOdd,
} from './real.js'
import { powReal, unaryReal } from './realFunctions.js'

/** A tensor of reals; bools and integers are reals too. */
export interface Reals {
  readonly shape: Shape
  readonly values: readonly Real[]
}

/** An elementwise operation on real numbers: the rule by which a custom operation is run without rounding. */
export type RealRule = (...args: Real[]) => Real

function hypotReal(a: Real, b: Real): Real {
  const infinite = [a, b].some((x) => typeof x === 'number' && Math.abs(x) === Infinity)
  return infinite ? Infinity : root(plus(times(a, a), times(b, b)))
}

function logAddExp(a: Real, b: Real): Real {
  const apart = minus(a, b)
  if (Number.isNaN(apart)) return plus(a, b)
  const larger = order(apart, 0) > 0 ? a : b
  return plus(larger, unaryReal('log1p', unaryReal('exp', negative(magnitude(apart)))))
}

/**
 * Real numbers of up to 4400 bits, with no end of exponents: what float64 is checked against. Slow: some microseconds an element,
 * a tenth of a millisecond for exp and its like. An operation without a rule is evaluated in float64.
 */
export function realArithmetic(rules: ReadonlyMap<Op, RealRule> = new Map()): WideArithmetic<Reals> {
  return {
    widen: (x) => ({ shape: x.shape, values: Array.from(x.toNumbers(), realOf) }),
    run: (step, args) => run(step, args, rules),
    // Odd numbers are for a second rounding, which float64 itself has not.
    narrow: (x, dtype) => cast(asFloat64(x, dtype === 'float64' ? toFloat64 : toFloat64ToOdd), dtype),
    toFloat64: (x) => asFloat64(x, toFloat64),
  }
}

/** Whether an operation has a rule on real numbers, as all of this package have; custom operations need one. */
export function hasRealRule({ op, output }: Step, rules?: ReadonlyMap<Op, RealRule>): boolean {
  if (!isFloat(output.dtype) || kindOf(op) !== 'rounds' || isConstant({ op })) return true
  return opName(op) !== undefined || op === logAddExpOp || rules?.has(op) === true
}

function asFloat64(x: Reals, convert: (value: Real) => number): Tensor<'float64'> {
  return new Tensor('float64', x.shape, Float64Array.from(x.values, convert))
}

function run(step: Step, args: readonly Reals[], rules: ReadonlyMap<Op, RealRule>): Reals {
  const { op, attributes } = step
  const shape = step.output.shape
  const constant = unroundedConstant(step)
  if (constant) return { shape, values: Array.from(constant.data, realOf) }
  if (kindOf(op) === 'moves') return { shape, values: moved(step, args) }
  const own = rules.get(op)
  if (own) return { shape, values: mapped(own, args, shape) }
  if (op === logAddExpOp) return { shape, values: mapped(logAddExp, args, shape) }
  const rule = isFloat(step.output.dtype) ? entryOf(realRules, op) : undefined
  if (rule) return { shape, values: rule(args, attributes, shape) }
  const rounded = args.map((arg) => asFloat64(arg, toFloat64))
  const result = runWidened(step, rounded, 'float64').toNumbers()
  return { shape, values: Array.from(result, realOf) }
}

function moved({ op, attributes }: Step, args: readonly Reals[]): Real[] {
  const from = args.flatMap((arg) => arg.values)
  const positions = movedPlaces(
    op,
    attributes,
    args.map((arg) => arg.shape),
  )
  return Array.from(positions, (at) => (at < 0 ? 0 : from[at]!))
}

function mapped(rule: RealRule, args: readonly Reals[], shape: Shape): Real[] {
  const places = args.map((arg) => broadcastPlaces(arg.shape, shape))
  return Array.from({ length: sizeOf(shape) }, (_, i) =>
    rule(...args.map((arg, k) => arg.values[places[k]?.[i] ?? i]!)),
  )
}

/** An operation on whole tensors of reals. */
type RealRun = (args: readonly Reals[], attributes: unknown, shape: Shape) => Real[]

/** Sums and extrema along lanes, by a fold. */
function folding(fold: (lane: Real[]) => Real): RealRun {
  return ([x], attributes) => {
    const { axes } = attributes as { axes: readonly number[] }
    const { lanes, length, at } = lanesRead(x!.shape, axes)
    return Array.from({ length: lanes }, (_, k) =>
      fold(Array.from({ length }, (_, i) => x!.values[at[k * length + i]!]!)),
    )
  }
}

function scanning(step: (total: Real, x: Real) => Real, start: Real): RealRun {
  return ([x], attributes) => {
    const { axis } = attributes as { axis: number }
    const { length, at } = lanesRead(x!.shape, [axis])
    const result = new Array<Real>(x!.values.length)
    let total = start
    for (let i = 0; i < at.length; i++) {
      total = step(i % length === 0 ? start : total, x!.values[at[i]!]!)
      result[at[i]!] = total
    }
    return result
  }
}

const total = (lane: Real[]): Real => lane.reduce(plus, 0)
const choose =
  (sign: 1 | -1) =>
  (lane: Real[]): Real =>
    lane.reduce((best, x) => (Number.isNaN(x) || sign * order(x, best) > 0 ? x : best))

const product: RealRun = ([a, b], attributes, shape) => {
  const [rows, columns] = reads(ops.matmul, attributes, [a!.shape, b!.shape], shape) as [Reads, Reads]
  return Array.from({ length: sizeOf(shape) }, (_, i) => {
    const [from, to] = [placesRead(rows, i), placesRead(columns, i)]
    return from.reduce((sum: Real, at, p) => plus(sum, times(a!.values[at]!, b!.values[to[p]!]!)), 0)
  })
}

/** Each element by itself. */
const each =
  (rule: RealRule): RealRun =>
  (args, _, shape) =>
    mapped(rule, args, shape)

const unaryRules = Object.fromEntries(
  unaryNames.map((name) => [name, each((x) => unaryReal(name, x!))]),
) as Record<UnaryName, RealRun>

/** What an operation with a float result is on real numbers; 'none' where the record's form says it, or there is none. */
const realRules: OpTable<RealRun> = {
  ...noRows('moves', 'decides', 'bits'),
  ...unaryRules,
  abs: each((x) => magnitude(x)),
  neg: each((x) => negative(x)),
  relu: each((x) => (order(x, 0) > 0 || Number.isNaN(x) ? x : 0)),
  add: each(plus),
  sub: each(minus),
  mul: each(times),
  div: each(over),
  pow: each(powReal),
  atan2: 'none',
  rem: 'none',
  hypot: each(hypotReal),
  minimum: each((a, b) => (Number.isNaN(b) || order(b, a) < 0 ? b : a)),
  maximum: each((a, b) => (Number.isNaN(b) || order(b, a) > 0 ? b : a)),
  where: each((condition, a, b) => (condition === 0 ? b : a)),
  cast: each((x) => x),
  sum: folding(total),
  mean: folding((lane) => over(total(lane), realOf(lane.length))),
  max: folding(choose(1)),
  min: folding(choose(-1)),
  cumsum: scanning(plus, 0),
  cumprod: scanning(times, realOf(1)),
  matmul: product,
}
