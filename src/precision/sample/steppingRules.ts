import { type Key, threefry2x32 } from '../../tensors/random/index.js'
import {
  type DTypeFacts,
  dtypeFacts,
  entryOf,
  type FloatDType,
  lanesRead,
  noRows,
  type Op,
  type OpTable,
  type Order,
  ops,
  placesRead,
  type Reads,
  type Round,
  reads,
  type Scan,
  scanLane,
  sumLane,
  type Tensor,
} from '../../tensors/tensor/index.js'
import type { Step } from '../program/program.js'
import { type RandomRounding, stochasticRound } from './stochasticRound.js'

/** Sums whose every addition rounds at random to the accumulation dtype; the last rounding is the caller's. */
export type Adding = (step: Step, args: readonly Tensor[], key: Key, mode: RandomRounding) => Float64Array

interface How {
  readonly order: Order
  readonly accumulate: 'float64'
}

/** The rounding of a lane's additions: a word each, drawn by the lane's number and its own. */
function laneRounding(key: Key, lane: number, grid: DTypeFacts, mode: RandomRounding): Round {
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
      const round = laneRounding(key, k, dtypeFacts(how.accumulate), mode)
      const lane = Float64Array.from({ length }, (_, i) => round(Number(x!.data[at[k * length + i]!])))
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
    const round = laneRounding(key, k, dtypeFacts(how.accumulate), mode)
    const lane = Float64Array.from({ length }, (_, i) => round(Number(x!.data[at[k * length + i]!])))
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
    const round = laneRounding(key, k, dtypeFacts(how.accumulate as FloatDType), mode)
    let product = 1
    for (let i = 0; i < length; i++) {
      const place = at[k * length + i]!
      product = round(product * round(Number(x!.data[place])))
      result[place] = product
    }
  }
  return result
}

const multiplied: Adding = ({ attributes, output }, [a, b], key, mode) => {
  const how = attributes as How
  const [rows, columns] = reads(ops.matmul, attributes, [a!.shape, b!.shape], output.shape) as [Reads, Reads]
  const grid = dtypeFacts(how.accumulate)
  return Float64Array.from({ length: output.size }, (_, i) => {
    const round = laneRounding(key, i, grid, mode)
    const [from, to] = [placesRead(rows, i), placesRead(columns, i)]
    const lane = Float64Array.from(from, (at, p) => round(Number(a!.data[at]) * Number(b!.data[to[p]!])))
    return sumLane(lane, lane.length, how.order, round)
  })
}

/** How an operation runs with each of its steps rounded at random; undefined of one that rounds its result alone. */
export function steppingOf(op: Op): Adding | undefined {
  return entryOf(steppingRules, op)
}

/** 'none' of all that do not round at each step: a test holds that the records say the same. */
const steppingRules: OpTable<Adding> = {
  ...noRows('unary', 'moves', 'decides', 'bits'),
  add: 'none',
  sub: 'none',
  mul: 'none',
  div: 'none',
  pow: 'none',
  atan2: 'none',
  hypot: 'none',
  rem: 'none',
  minimum: 'none',
  maximum: 'none',
  where: 'none',
  cast: 'none',
  sum: reduced(false),
  mean: reduced(true),
  cumsum: scanned,
  cumprod: runningProduct,
  matmul: multiplied,
  max: 'none',
  min: 'none',
}
