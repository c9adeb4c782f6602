import { bits, foldIn, type Key, threefry2x32 } from '../../random/index.js'
import {
  cast,
  type FloatDType,
  isFloat,
  lanesRead,
  type Op,
  type Order,
  ops,
  placesRead,
  type Reads,
  type Round,
  reads,
  type Scan,
  scanLane,
  sumLane,
  Tensor,
} from '../../tensor/index.js'
import { constantOf } from '../program/constantOf.js'
import { type Grid, gridOf } from '../program/grid.js'
import { kindOf } from '../program/opKind.js'
import type { Operand, Program, Step } from '../program/program.js'
import { runWidened } from '../replay/dtypeArithmetic.js'
import { type RandomRounding, stochasticRound } from './stochasticRound.js'

/** The values of one sample. */
export interface StochasticRun {
  readonly valueOf: (operand: Operand) => Tensor
}

/**
 * Runs a program with its chosen steps rounded at random. The random word of a rounding depends on the key, the step and
 * the element alone, so the same roundings fall whatever else is chosen.
 */
export function stochasticRun(
  program: Program,
  chosen: (step: number) => boolean,
  key: Key,
  mode: RandomRounding,
): StochasticRun {
  const values: Tensor[] = [...program.inputs]
  const valueOf = (operand: Operand): Tensor => (typeof operand === 'number' ? values[operand]! : operand)
  for (const [i, step] of program.steps.entries()) {
    const args = step.operands.map(valueOf)
    const random = roundsAtRandom(step) && chosen(i)
    values.push(
      random ? runAtRandom(step, args, foldIn(key, i), mode) : step.op.kernel(args, step.attributes),
    )
  }
  return { valueOf }
}

/** Whether a step can be rounded at random: one that rounds, to something narrower than float64. A constant is no noise. */
export function roundsAtRandom(step: Step): boolean {
  const { op, output } = step
  if (constantOf(step) !== undefined) return false
  return isFloat(output.dtype) && output.dtype !== 'float64' && kindOf(op) === 'rounds'
}

function runAtRandom(step: Step, args: readonly Tensor[], key: Key, mode: RandomRounding): Tensor {
  const { output } = step
  const wide = args.map((x) => (isFloat(x.dtype) ? cast(x, 'float64') : x))
  const exact = adding.get(step.op)?.(step, wide, key, mode) ?? runWidened(step, wide, 'float64').data
  const grid = gridOf(output.dtype)
  const words = bits(key, output.size)
  const rounded = Float64Array.from(exact, (x, i) => stochasticRound(x, grid, words[i]!, mode))
  return cast(new Tensor('float64', output.shape, rounded), output.dtype)
}

/** Sums whose every addition rounds at random to the accumulation dtype; the last rounding is the caller's. */
type Adding = (step: Step, args: readonly Tensor[], key: Key, mode: RandomRounding) => Float64Array

interface How {
  readonly order: Order
  readonly accumulate: 'float64'
}

/** The rounding of a lane's additions: a word each, drawn by the lane's number and its own. */
function laneRounding(key: Key, lane: number, grid: Grid, mode: RandomRounding): Round {
  const pair: readonly [number, number] = [key.data[0]!, key.data[1]!]
  let count = 0
  // Counters of elements begin at 0, 0; lanes stand in the upper word from 2^31 on.
  return (x) => stochasticRound(x, grid, threefry2x32(pair, [(2 ** 31 + lane) >>> 0, count++])[0], mode)
}

const reduced =
  (mean: boolean): Adding =>
  ({ attributes }, [x], key, mode) => {
    const { axes, how } = attributes as { axes: readonly number[]; how: How }
    const { lanes, length, at } = lanesRead(x!.shape, axes)
    const result = new Float64Array(lanes)
    for (let k = 0; k < lanes; k++) {
      const round = laneRounding(key, k, gridOf(how.accumulate), mode)
      const lane = Float64Array.from({ length }, (_, i) => round(x!.data[at[k * length + i]!]!))
      const total = sumLane(lane, length, how.order, round)
      result[k] = mean ? total / length : total
    }
    return result
  }

const scanned: Adding = ({ attributes }, [x], key, mode) => {
  const { axis, how } = attributes as { axis: number; how: How }
  const { lanes, length, at } = lanesRead(x!.shape, [axis])
  const result = new Float64Array(x!.size)
  const sums = new Float64Array(length)
  for (let k = 0; k < lanes; k++) {
    const round = laneRounding(key, k, gridOf(how.accumulate), mode)
    const lane = Float64Array.from({ length }, (_, i) => round(x!.data[at[k * length + i]!]!))
    scanLane(lane, length, how.order, round, sums)
    for (let i = 0; i < length; i++) result[at[k * length + i]!] = sums[i]!
  }
  return result
}

const runningProduct: Adding = ({ attributes }, [x], key, mode) => {
  const { axis, how } = attributes as Scan
  const { lanes, length, at } = lanesRead(x!.shape, [axis])
  const result = new Float64Array(x!.size)
  for (let k = 0; k < lanes; k++) {
    const round = laneRounding(key, k, gridOf(how.accumulate as FloatDType), mode)
    let product = 1
    for (let i = 0; i < length; i++) {
      const place = at[k * length + i]!
      product = round(product * round(x!.data[place]!))
      result[place] = product
    }
  }
  return result
}

const multiplied: Adding = ({ attributes, output }, [a, b], key, mode) => {
  const how = attributes as How
  const [rows, columns] = reads(ops.matmul, attributes, [a!.shape, b!.shape], output.shape) as [Reads, Reads]
  const grid = gridOf(how.accumulate)
  return Float64Array.from({ length: output.size }, (_, i) => {
    const round = laneRounding(key, i, grid, mode)
    const [from, to] = [placesRead(rows, i), placesRead(columns, i)]
    const lane = Float64Array.from(from, (at, p) => round(a!.data[at]! * b!.data[to[p]!]!))
    return sumLane(lane, lane.length, how.order, round)
  })
}

/** The operations of tensor that round at each step; a test holds that these are all. */
const adding: ReadonlyMap<Op, Adding> = new Map<Op, Adding>([
  [ops.sum, reduced(false)],
  [ops.mean, reduced(true)],
  [ops.cumsum, scanned],
  [ops.cumprod, runningProduct],
  [ops.matmul, multiplied],
])

/** Whether each addition or multiplication of an operation is rounded at random, not its result alone. */
export function roundsEachStep(op: Op): boolean {
  return adding.has(op)
}
