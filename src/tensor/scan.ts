import { cumsumArray, cumsumFloat32 } from '../bf16/index.js'
import {
  type AccumulateOptions,
  type Accumulation,
  accumulation,
  addends,
  stepRounding,
  writer,
} from './accumulate.js'
import { apply, checkOut, type OutOption } from './apply.js'
import { allocate, type DType, type FloatDType } from './dtype.js'
import { lanesOf, readLane } from './lanes.js'
import { reshape } from './layout.js'
import type { Round } from './order.js'
import { scanLane } from './scanLane.js'
import { normalizeAxis } from './shape.js'
import { type Op, Tensor } from './tensor.js'

/** Options of cumsum. */
export interface ScanOptions<D extends DType = DType> extends AccumulateOptions, OutOption<D> {
  /** Default: the last. */
  readonly axis?: number
}

interface Scan {
  readonly axis: number
  readonly how: Accumulation
}

type LaneScan = (lane: Float64Array, how: Accumulation, round: Round, out: Float64Array) => void

function scan(name: string, along: LaneScan): Op<Scan> {
  return {
    name,
    kernel: ([x], { axis, how }, out) => {
      checkOut(name, out, x!.dtype, x!.shape)
      const data = out?.data ?? allocate(x!.dtype, x!.size)
      const result = out ?? new Tensor(x!.dtype, x!.shape, data)
      const lanes = lanesOf(x!.shape, [axis])
      const { starts, length } = lanes
      const step = lanes.step!
      if (name === 'cumsum' && step === 1) {
        const fast = bfloat16Scan(x!.dtype, how)
        if (fast) {
          for (const start of starts) {
            const codes = (x!.data as Uint16Array).subarray(start, start + length)
            fast(codes, (data as Uint16Array).subarray(start, start + length))
          }
          return result
        }
      }
      const values = addends(x!, how)
      const round = stepRounding(how)
      const write = writer(x!.dtype, data)
      const lane = new Float64Array(length)
      const sums = new Float64Array(length)
      for (const start of starts) {
        readLane(values, start, lanes, lane)
        along(lane, how, round, sums)
        for (let i = 0, at = start; i < length; i++, at += step) write(at, sums[i]!)
      }
      return result
    },
  }
}

function bfloat16Scan(dtype: DType, how: Accumulation): typeof cumsumArray | undefined {
  if (dtype !== 'bfloat16' || how.order !== 'sequential') return undefined
  if (how.accumulate === 'bfloat16') return cumsumArray
  return how.accumulate === 'float32' ? cumsumFloat32 : undefined
}

function products(lane: Float64Array, round: Round, out: Float64Array): void {
  let p = 1
  for (let i = 0; i < lane.length; i++) {
    p = round(p * lane[i]!)
    out[i] = p
  }
}

function wrappedProducts(lane: Float64Array, round: Round, out: Float64Array): void {
  let p = 1
  for (let i = 0; i < lane.length; i++) {
    p = round(Math.imul(p, lane[i]!))
    out[i] = p
  }
}

export const cumsumOp: Op<Scan> = scan('cumsum', (lane, how, round, out) =>
  scanLane(lane, lane.length, how.order, round, out),
)
export const cumprodOp: Op<Scan> = scan('cumprod', (lane, how, round, out) => {
  const whole = how.accumulate === 'int32' || how.accumulate === 'uint32'
  return (whole ? wrappedProducts : products)(lane, round, out)
})

/**
 * Running sums along an axis.
 *
 * Shape     that of x. Dtype that of x; integers wrap, bool must be cast.
 * Rounding  every addition to `accumulate` (default: the dtype of x, the naive way), in the given order; each output then
 *           once to the dtype of x. `{ blocked: 16 }` is the order of XLA CPU.
 * Special   Inf + -Inf is NaN from there on. Sequential, Kahan, Neumaier and blocked scans start from +0.
 * Error     `errorBound('cumsum', ...)` of numerics.
 *
 * @example cumsum(tensor([255, 1, 1, 1], { dtype: 'bfloat16' })).toNested() // [255,256,256,256]
 * @example cumsum(tensor([255, 1, 1, 1], { dtype: 'bfloat16' }), { accumulate: 'float32' }).toNested() // [255,256,256,258]
 */
export function cumsum<D extends DType>(x: Tensor<D>, options: ScanOptions<D> = {}): Tensor<D> {
  return run(cumsumOp, x, options.axis, accumulation('cumsum', x.dtype, options), options.out)
}

/**
 * Running products along an axis, left to right from 1, every product rounded to `accumulate` (default: the dtype of x).
 *
 * @example cumprod(tensor([1, 2, 3, 4])).toNested() // [1,2,6,24]
 */
export function cumprod<D extends DType>(
  x: Tensor<D>,
  options: { axis?: number; accumulate?: FloatDType; out?: Tensor<D> } = {},
): Tensor<D> {
  const { axis, out, ...how } = options
  return run(cumprodOp, x, axis, accumulation('cumprod', x.dtype, how), out)
}

function run<D extends DType>(
  op: Op<Scan>,
  x: Tensor<D>,
  axis: number | undefined,
  how: Accumulation,
  out: Tensor<D> | undefined,
): Tensor<D> {
  if (x.rank === 0) {
    checkOut(op.name, out, x.dtype, x.shape)
    return reshape(run(op, reshape(x, [1]), axis, how, out && reshape(out, [1])), [])
  }
  return apply(op, [x], { axis: normalizeAxis(op.name, axis ?? -1, x.rank), how }, out) as Tensor<D>
}
