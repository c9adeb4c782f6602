import { unaryNames } from '../../functions/index.js'
import { logAddExpOp } from '../../numerics/index.js'
import { cast, isFloat, type Op, ops, type Shape, Tensor } from '../../tensor/index.js'
import { constantOf } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { broadcastPositions, lanePositions, movedPositions } from '../program/positions.js'
import type { Step } from '../program/program.js'
import type { Arithmetic } from '../replay/arithmetic.js'
import { runWidened } from '../replay/dtypeArithmetic.js'
import {
  magnitude,
  minus,
  negative,
  order,
  over,
  plus,
  type Real,
  realOf,
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

/** An elementwise operation on real numbers: what an operation of one's own brings to be run without rounding. */
export type RealRule = (...args: Real[]) => Real

const elementwise: ReadonlyMap<Op, RealRule> = new Map<Op, RealRule>([
  ...unaryNames.map((name): [Op, RealRule] => [ops[name]!, (x) => unaryReal(name, x!)]),
  [ops.abs, (x) => magnitude(x)],
  [ops.neg, (x) => negative(x)],
  [ops.relu, (x) => (order(x, 0) > 0 || Number.isNaN(x) ? x : 0)],
  [ops.add, plus],
  [ops.sub, minus],
  [ops.mul, times],
  [ops.div, over],
  [ops.pow, powReal],
  [ops.minimum, (a, b) => (Number.isNaN(b) || order(b, a) < 0 ? b : a)],
  [ops.maximum, (a, b) => (Number.isNaN(b) || order(b, a) > 0 ? b : a)],
  [ops.where, (condition, a, b) => (condition === 0 ? b : a)],
  [ops.cast, (x) => x],
  [logAddExpOp, (a, b) => logAddExp(a, b)],
])

function logAddExp(a: Real, b: Real): Real {
  const apart = minus(a, b)
  if (Number.isNaN(apart)) return plus(a, b)
  const larger = order(apart, 0) > 0 ? a : b
  return plus(larger, unaryReal('log1p', unaryReal('exp', negative(magnitude(apart)))))
}

/**
 * Real numbers of 320 bits, with no end of exponents: what float64 is checked against. Slow: some microseconds an element,
 * a tenth of a millisecond for exp and its like. An operation without a rule is evaluated in float64.
 */
export function realArithmetic(rules: ReadonlyMap<Op, RealRule> = new Map()): Arithmetic<Reals> {
  return {
    widen: (x) => ({ shape: x.shape, values: Array.from(x.toNumbers(), realOf) }),
    run: (step, args) => run(step, args, rules),
    narrow: (x, dtype) => cast(asFloat64(x, toFloat64ToOdd), dtype),
    toFloat64: (x) => asFloat64(x, toFloat64),
  }
}

function asFloat64(x: Reals, convert: (value: Real) => number): Tensor<'float64'> {
  return new Tensor('float64', x.shape, Float64Array.from(x.values, convert))
}

function run(step: Step, args: readonly Reals[], rules: ReadonlyMap<Op, RealRule>): Reals {
  const { op, attributes } = step
  const shape = step.output.shape
  const constant = constantOf(step)
  if (constant !== undefined) return { shape, values: [realOf(constant)] }
  if (kindOf(op) === 'moves') return { shape, values: moved(step, args) }
  const rule =
    rules.get(op) ?? (op === ops.cast && !isFloat(step.output.dtype) ? undefined : elementwise.get(op))
  if (rule) return { shape, values: mapped(rule, args, shape) }
  const reduce = reductions.get(op)
  if (reduce) return { shape, values: reduce(args, attributes, shape) }
  const rounded = args.map((arg) => asFloat64(arg, toFloat64))
  const result = runWidened(step, rounded, 'float64').toNumbers()
  return { shape, values: Array.from(result, realOf) }
}

function moved({ op, attributes }: Step, args: readonly Reals[]): Real[] {
  const from = args.flatMap((arg) => arg.values)
  const positions = movedPositions(
    op,
    attributes,
    args.map((arg) => arg.shape),
  )
  return Array.from(positions, (at) => (at < 0 ? 0 : from[at]!))
}

function mapped(rule: RealRule, args: readonly Reals[], shape: Shape): Real[] {
  const places = args.map((arg) => broadcastPositions(arg.shape, shape))
  const size = shape.reduce((n, length) => n * length, 1)
  return Array.from({ length: size }, (_, i) =>
    rule(...args.map((arg, k) => arg.values[places[k]?.[i] ?? i]!)),
  )
}

type Reduction = (args: readonly Reals[], attributes: unknown, shape: Shape) => Real[]

/** Sums and extrema along lanes, by a fold. */
function folding(fold: (lane: Real[]) => Real): Reduction {
  return ([x], attributes) => {
    const { axes } = attributes as { axes: readonly number[] }
    const { lanes, length, at } = lanePositions(x!.shape, axes)
    return Array.from({ length: lanes }, (_, k) =>
      fold(Array.from({ length }, (_, i) => x!.values[at[k * length + i]!]!)),
    )
  }
}

function scanning(step: (total: Real, x: Real) => Real, start: Real): Reduction {
  return ([x], attributes) => {
    const { axis } = attributes as { axis: number }
    const { length, at } = lanePositions(x!.shape, [axis])
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

const reductions: ReadonlyMap<Op, Reduction> = new Map<Op, Reduction>([
  [ops.sum, folding(total)],
  [ops.mean, folding((lane) => over(total(lane), realOf(lane.length)))],
  [ops.max, folding(choose(1))],
  [ops.min, folding(choose(-1))],
  [ops.cumsum, scanning(plus, 0)],
  [ops.cumprod, scanning(times, realOf(1))],
  [ops.matmul, product],
])

function product([a, b]: readonly Reals[], _: unknown, shape: Shape): Real[] {
  const [m, n] = shape.slice(-2) as [number, number]
  const k = a!.shape.at(-1)!
  const batch = shape.slice(0, -2)
  const [fromA, fromB] = [a!, b!].map((x) => {
    const whole = [...batch, ...x.shape.slice(-2)]
    return broadcastPositions(x.shape, whole)
  })
  const size = shape.reduce((count, length) => count * length, 1)
  return Array.from({ length: size }, (_, at) => {
    const matrix = Math.floor(at / (m * n))
    const row = Math.floor(at / n) % m
    let sum: Real = 0
    for (let p = 0; p < k; p++) {
      const i = (matrix * m + row) * k + p
      const j = (matrix * k + p) * n + (at % n)
      sum = plus(sum, times(a!.values[fromA?.[i] ?? i]!, b!.values[fromB?.[j] ?? j]!))
    }
    return sum
  })
}
