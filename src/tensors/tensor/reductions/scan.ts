import type { OptionTable } from '../../../base/options/index.js'
import { cumsumArray, cumsumFloat32 } from '../../../bf16/index.js'
import { addsLane, arena, float32LaneScan } from '../../../numbers/simd/index.js'
import { reshape } from '../layout/layout.js'
import { apply, checkOut, type OutOption } from '../storage/apply.js'
import { axisFirst, checkCall } from '../storage/checkCall.js'
import { type AnyStorage, allocate, type DType, elementsIn, isBig, isInteger } from '../storage/dtype.js'
import { canonicalizeNaN } from '../storage/nan.js'
import { normalizeAxis } from '../storage/shape.js'
import { type KnownOp, type Op, Tensor } from '../storage/tensor.js'
import {
  type AccumulateOptions,
  type Accumulation,
  accumulation,
  addends,
  stepRounding,
  writer,
} from './accumulate.js'
import { bigScan } from './bigLanes.js'
import { columnScan } from './columns.js'
import { float32Lanes, type Lanes, lanesOf, readLane, shortLane } from './lanes.js'
import type { Round } from './order.js'
import { scanLane } from './scanLane.js'

/** Options of cumsum. */
export interface ScanOptions<D extends DType = DType> extends AccumulateOptions, OutOption<D> {
  /** Default: the last. */
  readonly axis?: number
}

const productNames: OptionTable<Omit<ScanOptions, 'order'>> = {
  axis: 'optional',
  accumulate: 'optional',
  out: 'optional',
}
const scanNames: OptionTable<ScanOptions> = { ...productNames, order: 'optional' }

/** The attributes of cumsum and cumprod: an axis counted from the front, and how to add or multiply. */
export interface Scan {
  readonly axis: number
  readonly how: Accumulation
}

type LaneScan = (lane: Float64Array, how: Accumulation, round: Round, out: Float64Array) => void

/** Writes the running results of all lanes if it has a fast way, and says whether it had. */
type FastScan = (x: Tensor, lanes: Lanes, how: Accumulation, out: AnyStorage) => boolean

function scan(name: string, along: LaneScan, fast: FastScan = () => false): KnownOp<Scan> {
  return {
    name,
    form: 'scan',
    rounds: 'each step',
    kernel: ([x], { axis, how }, out) => {
      checkOut(name, out, x!.dtype, x!.shape)
      const data = out?.data ?? allocate(x!.dtype, x!.size)
      const result = out ?? new Tensor(x!.dtype, x!.shape, data)
      const lanes = lanesOf(x!.shape, [axis])
      if (isBig(data)) {
        bigScan(x!.data as typeof data, lanes, name === 'cumprod', data)
        return result
      }
      if (fast(x!, lanes, how, elementsIn(data))) return result
      const values = addends(x!, how)
      const round = stepRounding(how)
      const write = writer(x!.dtype, data)
      const lane = new Float64Array(lanes.length)
      const sums = new Float64Array(lanes.length)
      for (const start of lanes.starts) {
        readLane(values, start, lanes, lane)
        along(lane, how, round, sums)
        for (let i = 0, at = start; i < sums.length; i++, at += lanes.step!) write(at, sums[i]!)
      }
      return result
    },
  }
}

/** Sequential sums along memory (bfloat16) or across rows (bfloat16, float32). */
const fastSums: FastScan = (x, lanes, how, out) => {
  if (lanes.step !== 1 && columnScan(x, lanes, how, out)) return true
  if (float32Scan(x, lanes, how, out)) return true
  if (lanes.step !== 1) return false
  if (x.dtype !== 'bfloat16' || how.order !== 'sequential') return false
  if (how.accumulate !== 'bfloat16' && how.accumulate !== 'float32') return false
  const scanCodes = how.accumulate === 'bfloat16' ? cumsumArray : cumsumFloat32
  for (const start of lanes.starts) {
    const end = start + lanes.length
    scanCodes((x.data as Uint16Array).subarray(start, end), (out as Uint16Array).subarray(start, end))
  }
  return true
}

/** Running sums of float32 numbers in any order, lane by lane. */
function float32Scan(x: Tensor, lanes: Lanes, how: Accumulation, out: AnyStorage): boolean {
  if (x.dtype !== 'float32' || how.accumulate !== 'float32' || !(out instanceof Float32Array)) return false
  const { starts, length, step } = lanes
  const simd = length >= shortLane && addsLane(how.order, length, true) ? arena('simd') : undefined
  if (!simd) return false
  const laneOf = float32Lanes(elementsIn(x.data), lanes)
  const sums = new Float32Array(step === 1 ? 0 : length)
  for (const start of starts) {
    const target = step === 1 ? out.subarray(start, start + length) : sums
    float32LaneScan(simd, laneOf(start), how.order, target)
    if (step !== 1) for (let i = 0, at = start; i < length; i++, at += step!) out[at] = sums[i]!
  }
  canonicalizeNaN(out)
  return true
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

export const cumsumOp: KnownOp<Scan> = scan(
  'cumsum',
  (lane, how, round, out) => scanLane(lane, lane.length, how.order, round, out),
  fastSums,
)
export const cumprodOp: KnownOp<Scan> = scan('cumprod', (lane, how, round, out) => {
  return (isInteger(how.accumulate) ? wrappedProducts : products)(lane, round, out)
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
export function cumsum<D extends DType, O extends D = D>(x: Tensor<D>, options?: ScanOptions<O>): Tensor<D>
export function cumsum<O extends DType, D extends O>(x: Tensor<D>, options?: ScanOptions<O>): Tensor<D>
export function cumsum<D extends DType>(x: Tensor<D>, options?: ScanOptions<D>): Tensor<D> {
  checkCall('cumsum', x, options, scanNames, axisFirst)
  return run(cumsumOp, x, options?.axis, accumulation('cumsum', x.dtype, options ?? {}), options?.out)
}

/**
 * Running products along an axis, left to right from 1, every product rounded to `accumulate` (default: the dtype of x).
 *
 * @example cumprod(tensor([1, 2, 3, 4])).toNested() // [1,2,6,24]
 */
export function cumprod<D extends DType, O extends D = D>(
  x: Tensor<D>,
  options?: Omit<ScanOptions<O>, 'order'>,
): Tensor<D>
export function cumprod<O extends DType, D extends O>(
  x: Tensor<D>,
  options?: Omit<ScanOptions<O>, 'order'>,
): Tensor<D>
export function cumprod<D extends DType>(x: Tensor<D>, options?: Omit<ScanOptions<D>, 'order'>): Tensor<D> {
  checkCall('cumprod', x, options, productNames, axisFirst)
  const { axis, out, ...how } = options ?? {}
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
