import {
  cast,
  full,
  matmul,
  reshape,
  type Tensor,
  take,
  tensor,
  transpose,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { widened } from './wide.js'

/** One axis of a resize: how long it gets, and by which factor positions are scaled. */
interface AxisScale {
  readonly length: number
  readonly output: number
  readonly scale: number
  /** Of `tf_crop_and_resize`: where the region begins and ends, in shares of the axis. */
  readonly roi: readonly [number, number]
}

/** Where the element `y` of the output lies in the input. */
function sourceOf(call: Call, y: number, { length, output, scale, roi }: AxisScale): number {
  const whole = scale * length
  const mode = call.text('coordinate_transformation_mode', 'half_pixel')
  switch (mode) {
    case 'half_pixel':
      return (y + 0.5) / scale - 0.5
    case 'half_pixel_symmetric':
      return (length / 2) * (1 - output / whole) + (y + 0.5) / scale - 0.5
    case 'pytorch_half_pixel':
      return whole === 1 ? -0.5 : (y + 0.5) / scale - 0.5
    case 'align_corners':
      return whole === 1 ? 0 : (y * (length - 1)) / (whole - 1)
    case 'asymmetric':
      return y / scale
    case 'tf_crop_and_resize': {
      const [from, to] = roi
      const inside =
        whole === 1 ? ((to - from) * (length - 1)) / 2 : (y * (to - from) * (length - 1)) / (whole - 1)
      return inside + from * (length - 1)
    }
    default:
      throw call.error('has an unknown coordinate_transformation_mode', mode)
  }
}

/** Keys' cubic at a distance, with its parameter a. */
function cubic(distance: number, a: number): number {
  const x = Math.abs(distance)
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0
}

/** Neighbours of a position by how far they are from it, with their weights. */
function neighbours(call: Call, x: number, scale: number): readonly [place: number, weight: number][] {
  const mode = call.text('mode', 'nearest')
  const floor = Number.isInteger(x) ? x - 1 : Math.floor(x)
  const ratio = x - floor
  if (mode === 'nearest') {
    const how = call.text('nearest_mode', 'round_prefer_floor')
    const up =
      Number.isInteger(x) ||
      (how === 'round_prefer_floor'
        ? ratio > 0.5
        : how === 'round_prefer_ceil'
          ? ratio >= 0.5
          : how === 'ceil')
    return [[up ? floor + 1 : floor, 1]]
  }
  const narrow = call.flag('antialias') ? Math.min(scale, 1) : 1
  const reach = mode === 'linear' ? 1 : 2
  const start = Math.floor(-reach / narrow) + 1
  const kernel =
    mode === 'linear'
      ? (d: number): number => Math.max(0, 1 - Math.abs(d))
      : (d: number): number => cubic(d, call.number('cubic_coeff_a', -0.75))
  const found: [number, number][] = []
  for (let i = start; i < 2 - start; i++) found.push([floor + i, kernel((i - ratio) * narrow)])
  const total = narrow === 1 ? 1 : found.reduce((sum, [, weight]) => sum + weight, 0)
  return found.map(([place, weight]) => [place, weight / total])
}

/** The weights of an axis: [output, length], and the outputs that lie outside of the input. */
function weightsOf(call: Call, axis: AxisScale): { rows: Float64Array; outside: boolean[] } {
  const { length, output, scale } = axis
  const rows = new Float64Array(output * length)
  const outside: boolean[] = []
  const cropped = call.text('coordinate_transformation_mode', 'half_pixel') === 'tf_crop_and_resize'
  for (let y = 0; y < output; y++) {
    const x = sourceOf(call, y, axis)
    outside.push(cropped && (x < 0 || x > length - 1))
    let list = neighbours(call, x, scale)
    if (call.flag('exclude_outside')) {
      list = list.filter(([place]) => place >= 0 && place < length)
      const total = list.reduce((sum, [, weight]) => sum + weight, 0) || 1
      list = list.map(([place, weight]) => [place, weight / total])
    }
    for (const [place, weight] of list) {
      const at = Math.min(Math.max(place, 0), length - 1)
      rows[y * length + at] = rows[y * length + at]! + weight
    }
  }
  return { rows, outside }
}

function resized(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const value = call.need(inputs[0], 0)
  const given = (i: number, what: string): readonly number[] | undefined => {
    const x = inputs[i]
    return x && x.size > 0 ? call.known(x, what) : undefined
  }
  const [roi, scales, sizes] = [given(1, 'its region'), given(2, 'its scales'), given(3, 'its sizes')]
  const axes = (call.numbers('axes') ?? value.shape.map((_, i) => i)).map((axis) =>
    call.axis(axis, value.rank),
  )
  if (!scales && !sizes) throw call.error('has neither scales nor sizes')
  const policy = call.text('keep_aspect_ratio_policy', 'stretch')
  const ratios = sizes?.map((size, i) => size / value.shape[axes[i]!]!)
  const common =
    ratios && policy !== 'stretch' ? (policy === 'not_larger' ? Math.min : Math.max)(...ratios) : undefined
  let result = widened(value)
  for (const [i, axis] of axes.entries()) {
    const length = value.shape[axis]!
    const scale = scales?.[i] ?? common ?? ratios![i]!
    const output = scales
      ? Math.floor(scale * length)
      : common === undefined
        ? sizes![i]!
        : Math.floor(common * length + 0.5)
    const region: [number, number] = roi ? [roi[i]!, roi[i + axes.length]!] : [0, 1]
    if (output === length && scale === 1 && region[0] === 0 && region[1] === 1) continue
    result = resizedAlong(call, result, axis, { length, output, scale, roi: region })
  }
  return cast(result, value.dtype)
}

function resizedAlong(call: Call, x: Tensor, axis: number, by: AxisScale): Tensor {
  const { rows, outside } = weightsOf(call, by)
  if (call.text('mode', 'nearest') === 'nearest' && !outside.includes(true)) {
    const places = Array.from({ length: by.output }, (_, y) =>
      rows.subarray(y * by.length, (y + 1) * by.length).indexOf(1),
    )
    return take(x, places, { axis })
  }
  const order = x.shape.map((_, i) => i)
  order.push(...order.splice(axis, 1))
  const moved = transpose(x, order)
  const weights = tensor(rows, { dtype: x.dtype, shape: [by.output, by.length] })
  const product = matmul(reshape(moved, [x.size / by.length, by.length]), transpose(weights))
  const shape = [...moved.shape.slice(0, -1), by.output]
  const back = order.map((_, i) => order.indexOf(i))
  const done = transpose(reshape(product, shape), back)
  if (!outside.includes(true)) return done
  const fill = call.number('extrapolation_value', 0)
  const mask = tensor(outside.map(Number), {
    dtype: 'bool',
    shape: x.shape.map((_, i) => (i === axis ? by.output : 1)),
  })
  return where(mask, full([], fill, { dtype: x.dtype }), done)
}

/** Operators that change how finely an axis is sampled. */
export const resizeOperators: Readonly<Record<string, Operator>> = { Resize: resized }
