import {
  concat,
  cumprod,
  cumsum,
  isFloat,
  isSealed,
  maximum,
  minimum,
  reshape,
  type Shape,
  sizeOf,
  slice,
  Tensor,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { repeated } from '../moving/moves.js'
import { padded } from '../moving/pad.js'
import { integers, region } from '../values/attributes.js'
import type { Context, Elements, Lowering } from '../values/lowering.js'
import { broadcastLanes } from '../values/perElement.js'
import { simpleBody } from '../values/simpleBody.js'
import { eachPart, eachPartOf, shapeOf, type Value } from '../values/value.js'
import { kernelOf } from './reduce.js'

/** Windows over an operand, one number an axis. */
export interface WindowShape {
  readonly sizes: readonly number[]
  readonly strides: readonly number[]
  readonly baseDilations: readonly number[]
  readonly dilations: readonly number[]
  readonly low: readonly number[]
  readonly high: readonly number[]
}

/** The windows of an operation, by its attributes. */
export function windowOf(op: Operation): WindowShape {
  const sizes = integers(op, 'window_dimensions')
  const ones = sizes.map(() => 1)
  const padding = integers(
    op,
    'padding',
    sizes.flatMap(() => [0, 0]),
  )
  if (padding.length !== 2 * sizes.length) throw new RangeError(`has ${padding.length} numbers of padding`)
  return {
    sizes,
    strides: integers(op, 'window_strides', ones),
    baseDilations: integers(op, 'base_dilations', ones),
    dilations: integers(op, 'window_dilations', ones),
    low: sizes.map((_, axis) => padding[2 * axis]!),
    high: sizes.map((_, axis) => padding[2 * axis + 1]!),
  }
}

/** The lengths of a result: how many windows there are along each axis. */
export function windowCounts(shape: Shape, window: WindowShape): readonly number[] {
  return shape.map((length, axis) => {
    const base = length === 0 ? 0 : (length - 1) * window.baseDilations[axis]! + 1
    const all = base + window.low[axis]! + window.high[axis]!
    const span = (window.sizes[axis]! - 1) * window.dilations[axis]! + 1
    return all < span ? 0 : Math.floor((all - span) / window.strides[axis]!) + 1
  })
}

/** For each place in a window, row by row, its index along each axis. */
export function* placesIn(sizes: readonly number[]): Generator<readonly number[]> {
  const place = sizes.map(() => 0)
  for (let left = sizeOf(sizes); left > 0; left--) {
    yield [...place]
    for (let axis = sizes.length - 1; axis >= 0 && ++place[axis]! === sizes[axis]; axis--) place[axis] = 0
  }
}

/** The elements that lie at one place of every window: a strided part of the padded operand. */
function elementsAt(
  x: Tensor,
  place: readonly number[],
  counts: Shape,
  { strides, dilations }: WindowShape,
): Tensor {
  return slice(
    x,
    place.map((index, axis): [number, number, number] => {
      const start = index * dilations[axis]!
      return [start, start + (counts[axis]! - 1) * strides[axis]! + 1, strides[axis]!]
    }),
  )
}

/** The axis along which each window ends at its element, so that the reduction is a running one; undefined for others. */
function runningAxis(
  shape: Shape,
  { sizes, strides, baseDilations, dilations, low, high }: WindowShape,
): number | undefined {
  const long = sizes.flatMap((size, axis) => (size > 1 ? [axis] : []))
  const [axis] = long
  if (long.length !== 1 || axis === undefined) return undefined
  const plain = [...strides, ...baseDilations, ...dilations].every((n) => n === 1)
  const others = low.every((n, i) => i === axis || (n === 0 && high[i] === 0))
  const n = shape[axis]!
  return plain && others && sizes[axis] === n && low[axis] === n - 1 && high[axis] === 0 ? axis : undefined
}

/** More places than this are not held side by side. */
const mostPlaces = 64

/** `stablehlo.reduce_window`: running sums and products by our scans, small windows by reductions, any body place by place. */
export const reduceWindow: Lowering = (op, context) => {
  const body = region(op)
  const step = context.lifted(body)
  const window = windowOf(op)
  const simple = simpleBody(body)
  return (inputs, frame) => {
    const n = inputs.length / 2
    const values = inputs.slice(0, n)
    const inits = inputs.slice(n)
    const [x, init] = [values[0], inits[0]]
    if (n === 1 && x instanceof Tensor && init instanceof Tensor) {
      const found = known(x, init, window, simple, context)
      if (found) return [found]
    }
    return placeByPlace(values, inits, window, step(frame))
  }
}

function isKnown(init: Tensor, value: number): boolean {
  return !isSealed(init) && Object.is(Number(init.toNumbers()[0]), value)
}

function known(
  x: Tensor,
  init: Tensor,
  window: WindowShape,
  body: string | undefined,
  context: Context,
): Tensor | undefined {
  const axis = runningAxis(x.shape, window)
  const how = isFloat(x.dtype) ? { accumulate: x.dtype } : {}
  if (axis !== undefined && x.dtype !== 'bool' && x.size > 0) {
    if (body === 'stablehlo.add' && isKnown(init, 0)) {
      const order = context.semantics.reduce === 'xla-cpu' ? { blocked: 16 } : 'sequential'
      return cumsum(x, { axis, order, ...how })
    }
    if (body === 'stablehlo.multiply' && isKnown(init, 1)) return cumprod(x, { axis, ...how })
  }
  const counts = windowCounts(x.shape, window)
  const places = sizeOf(window.sizes)
  const isExtreme = body === 'stablehlo.maximum' || body === 'stablehlo.minimum'
  if (isExtreme && places > mostPlaces && x.dtype !== 'bool' && sizeOf(counts) > 0) {
    return byDoubling(
      paddedBy(x, init, window),
      init,
      counts,
      window,
      body === 'stablehlo.maximum' ? maximum : minimum,
    )
  }
  const kernel = kernelOf(body, x, context)
  if (!kernel || places > mostPlaces || sizeOf(counts) === 0) return undefined
  const all = paddedBy(x, init, window)
  const parts = [...placesIn(window.sizes)].map((place) =>
    reshape(elementsAt(all, place, counts, window), [1, ...counts]),
  )
  return kernel(concat(parts), init, [0])
}

function paddedBy(x: Tensor, init: Tensor, { low, high, baseDilations }: WindowShape): Tensor {
  return padded(
    x,
    init,
    low,
    high,
    baseDilations.map((n) => n - 1),
  )
}

/** The largest or smallest of wide windows: of twice as many neighbours at a time, axis by axis. */
function byDoubling(
  x: Tensor,
  init: Tensor,
  counts: Shape,
  { sizes, strides, dilations }: WindowShape,
  join: (a: Tensor, b: Tensor) => Tensor,
): Tensor {
  let now = x
  for (const [axis, size] of sizes.entries()) {
    const lead = x.shape.slice(0, axis).map(() => null)
    const dilation = dilations[axis]!
    const shifted = (by: number): Tensor => {
      const length = now.shape[axis]! - by * dilation
      const [a, b] = [slice(now, [...lead, [0, length]]), slice(now, [...lead, [by * dilation, null]])]
      return join(a, b)
    }
    // After a round an element covers `done` places; the last round overlaps.
    for (let done = 1; done < size; ) {
      const by = Math.min(done, size - done)
      now = shifted(by)
      done += by
    }
    const last = (counts[axis]! - 1) * strides[axis]! + 1
    now = slice(now, [...lead, [0, last, strides[axis]!]])
  }
  return join(now, init)
}

/** Any body: all windows at once, one of their places after the other. */
function placeByPlace(
  values: readonly Value[],
  inits: readonly Value[],
  window: WindowShape,
  step: Elements,
): readonly Value[] {
  const counts = windowCounts(shapeOf(values[0]), window)
  const start = inits.map((init) => eachPart(init, (part) => repeated(part, counts)))
  if (sizeOf(counts) === 0) return start
  const all = values.map((value, k) =>
    eachPartOf([value, inits[k]], ([x, init]) => paddedBy(x!, init!, window)),
  )
  let now: readonly Value[] = start
  for (const place of placesIn(window.sizes)) {
    const next = all.map((value) => eachPart(value, (x) => elementsAt(x, place, counts, window)))
    now = step([...now, ...next]).map((value) => broadcastLanes(value, counts))
  }
  return now
}
