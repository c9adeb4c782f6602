import type { OptionTable } from '../../../base/options/index.js'
import { sumArray, sumFloat32, toNumber } from '../../../bf16/index.js'
import { addsLane, arena, float32LaneSum, float32LaneSums, isStepwise } from '../../../numbers/simd/index.js'
import { apply, checkOut, type OutOption } from '../storage/apply.js'
import { type AxisOptions, axisNames, keepsDims } from '../storage/axisOptions.js'
import { axisFirst, checkCall } from '../storage/checkCall.js'
import { allocate, checkFloat, type DType, isBig, wideDType } from '../storage/dtype.js'
import { normalizeAxes, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import {
  type AccumulateOptions,
  type Accumulation,
  accumulation,
  addends,
  stepRounding,
  writer,
} from './accumulate.js'
import { bigSums } from './bigLanes.js'
import { columnSums } from './columns.js'
import { float32Lanes, type Lanes, lanesOf, readLane, reducedShape, shortLane } from './lanes.js'
import { sumLane } from './sumLane.js'

/** Options of sum and mean. */
export type ReduceOptions<D extends DType = DType> = AxisOptions & AccumulateOptions & OutOption<D>

const reduceNames: OptionTable<ReduceOptions> = {
  ...axisNames,
  order: 'optional',
  accumulate: 'optional',
  out: 'optional',
}

/** The attributes of sum and mean: axes ascending, counted from the front, and how to add. */
export interface Reduction {
  readonly axes: readonly number[]
  readonly keepDims: boolean
  readonly how: Accumulation
}

function addition(name: string, finish: (sum: number, n: number) => number): KnownOp<Reduction> {
  return {
    name,
    form: 'reduce',
    rounds: 'each step',
    kernel: ([x], { axes, keepDims, how }, out) => {
      const shape = reducedShape(x!.shape, axes, keepDims)
      checkOut(name, out, x!.dtype, shape)
      const data = out?.data ?? allocate(x!.dtype, sizeOf(shape))
      const lanes = lanesOf(x!.shape, axes)
      if (isBig(data)) {
        bigSums(x!.data as typeof data, lanes, data)
        return out ?? new Tensor(x!.dtype, shape, data)
      }
      const write = writer(x!.dtype, data)
      const sumOf = columnSums(x!, lanes, how) ?? laneSum(x!, lanes, how)
      for (let k = 0; k < lanes.starts.length; k++) write(k, finish(sumOf(k), lanes.length))
      return out ?? new Tensor(x!.dtype, shape, data)
    },
  }
}

/** Fewer lanes are added one after the other. */
const fewLanes = 4

/** The sum of lane k. Contiguous bfloat16 lanes take the fast twins of `sumLane`. */
function laneSum(x: Tensor, lanes: Lanes, how: Accumulation): (k: number) => number {
  const { length, starts } = lanes
  if (x.dtype === 'bfloat16' && lanes.step === 1 && how.order === 'sequential') {
    const codes = x.data as Uint16Array
    const lane = (k: number): Uint16Array => codes.subarray(starts[k]!, starts[k]! + length)
    if (how.accumulate === 'bfloat16') return (k) => toNumber(sumArray(lane(k)))
    if (how.accumulate === 'float32') return (k) => sumFloat32(lane(k))
  }
  const values = addends(x, how)
  const simd = how.accumulate === 'float32' && length >= shortLane ? arena('simd') : undefined
  if (simd && addsLane(how.order, length)) {
    const laneOf = float32Lanes(values, lanes)
    if (
      values instanceof Float32Array &&
      starts.length >= fewLanes &&
      lanes.step === 1 &&
      isStepwise(how.order)
    ) {
      const sums = new Float32Array(starts.length)
      float32LaneSums(simd, (k) => laneOf(starts[k]!), length, how.order, sums)
      return (k) => sums[k]!
    }
    return (k) => float32LaneSum(simd, laneOf(starts[k]!), how.order)
  }
  const round = stepRounding(how)
  const lane = new Float64Array(length)
  return (k) => {
    readLane(values, starts[k]!, lanes, lane)
    return sumLane(lane, length, how.order, round)
  }
}

export const sumOp: KnownOp<Reduction> = addition('sum', (total) => total)
export const meanOp: KnownOp<Reduction> = addition('mean', (total, n) => total / n)

/**
 * Sum over axes.
 *
 * Shape     x without the axes (all by default); with `keepDims` they stay with length 1. No elements give +0.
 * Dtype     that of x; integers wrap, bool must be cast.
 * Rounding  every addition to `accumulate` (default float32, float64 of float64, as jnp.sum), in the given order; then once
 *           to the dtype of x. `{ accumulate: x.dtype }` rounds every addition to the dtype of x: `naiveSum` of numerics.
 * Special   Inf + -Inf is NaN. Compensation stops at an infinite sum instead of making it NaN.
 * Error     `errorBound('sum', ...)` of numerics.
 *
 * @example sum(ones([300], { dtype: 'bfloat16' })).item() // 300
 * @example sum(ones([300], { dtype: 'bfloat16' }), { accumulate: 'bfloat16' }).item() // 256
 */
export function sum<D extends DType, O extends D = D>(x: Tensor<D>, options?: ReduceOptions<O>): Tensor<D>
export function sum<O extends DType, D extends O>(x: Tensor<D>, options?: ReduceOptions<O>): Tensor<D>
export function sum<D extends DType>(x: Tensor<D>, options?: ReduceOptions<D>): Tensor<D> {
  checkCall('sum', x, options, reduceNames, axisFirst)
  const axes = normalizeAxes('sum', options?.axis, x.rank)
  const how = accumulation('sum', x.dtype, options ?? {}, { preferred: wideDType(x.dtype), windows: true })
  return apply(sumOp, [x], { axes, keepDims: keepsDims('sum', options), how }, options?.out) as Tensor<D>
}

/**
 * Arithmetic mean over axes: the sum, divided by the exact count, rounded once. As `sum` in everything else; no
 * elements give NaN, integers must be cast.
 *
 * @example mean(tensor([[1, 2], [3, 6]]), { axis: 0 }).toNested() // [2,4]
 */
export function mean<D extends DType, O extends D = D>(x: Tensor<D>, options?: ReduceOptions<O>): Tensor<D>
export function mean<O extends DType, D extends O>(x: Tensor<D>, options?: ReduceOptions<O>): Tensor<D>
export function mean<D extends DType>(x: Tensor<D>, options?: ReduceOptions<D>): Tensor<D> {
  checkCall('mean', x, options, reduceNames, axisFirst)
  checkFloat('mean', x.dtype)
  const axes = normalizeAxes('mean', options?.axis, x.rank)
  const how = accumulation('mean', x.dtype, options ?? {}, { preferred: wideDType(x.dtype), windows: true })
  return apply(meanOp, [x], { axes, keepDims: keepsDims('mean', options), how }, options?.out) as Tensor<D>
}
