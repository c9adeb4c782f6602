import type { OptionTable } from '../../../base/options/index.js'
import { apply, checkOut, type OutOption } from '../storage/apply.js'
import { type AxisOptions, axisNames, keepsDims } from '../storage/axisOptions.js'
import { axisFirst, checkCall } from '../storage/checkCall.js'
import { allocate, type DType, formatOf, numbersOf } from '../storage/dtype.js'
import { movable } from '../storage/move.js'
import { canonicalizeNaN } from '../storage/nan.js'
import { normalizeAxes, normalizeAxis, sizeOf } from '../storage/shape.js'
import { type KnownOp, type Op, Tensor } from '../storage/tensor.js'
import { lanesOf, placeIn, reducedShape } from './lanes.js'

/** The attributes of an extremum: its axes, ascending, counted from the front. */
export interface Extremum {
  readonly axes: readonly number[]
  readonly keepDims: boolean
}

/** Whether x beats the best so far; +0 beats -0 in a maximum and the other way round. */
type Beats = (x: number, best: number) => boolean

const above: Beats = (x, best) =>
  x > best || (x === 0 && best === 0 && Object.is(best, -0) && !Object.is(x, -0))
const below: Beats = (x, best) =>
  x < best || (x === 0 && best === 0 && Object.is(x, -0) && !Object.is(best, -0))

/** For every lane, which of its places holds the extremum; the first NaN if there is one. */
function winners(
  op: string,
  x: Tensor,
  axes: readonly number[],
  beats: Beats,
): { offset: number; place: number }[] {
  const lanes = lanesOf(x.shape, axes)
  const { starts, length } = lanes
  if (length === 0 && starts.length > 0) {
    throw new RangeError(`${op}: no elements to choose from [${x.shape.join(', ')}]`)
  }
  const values = numbersOf(x.dtype, x.data)
  return Array.from(starts, (start) => {
    let place = 0
    let best = values[start]!
    for (let i = 1; i < length && !Number.isNaN(best); i++) {
      const value = values[start + placeIn(lanes, i)]!
      if (Number.isNaN(value) || beats(value, best)) {
        best = value
        place = i
      }
    }
    return { offset: start + placeIn(lanes, place), place }
  })
}

function extremum(name: string, beats: Beats): KnownOp<Extremum> {
  return {
    name,
    form: 'reduce',
    rounds: 'never',
    kernel: ([x], { axes, keepDims }, out) => {
      const shape = reducedShape(x!.shape, axes, keepDims)
      checkOut(name, out, x!.dtype, shape)
      const data = out?.data ?? allocate(x!.dtype, sizeOf(shape))
      const low = formatOf(x!.dtype)
      const values = numbersOf(x!.dtype, x!.data)
      const from = movable(x!.data)
      const to = movable(data)
      for (const [k, { offset }] of winners(name, x!, axes, beats).entries()) {
        to[k] = low && Number.isNaN(values[offset]) ? low.canonicalNaN! : from[offset]!
      }
      canonicalizeNaN(data)
      return out ?? new Tensor(x!.dtype, shape, data)
    },
  }
}

function position(name: string, beats: Beats): KnownOp<Extremum> {
  return {
    name,
    form: 'reduce',
    rounds: 'decides',
    kernel: ([x], { axes, keepDims }) => {
      const data = Int32Array.from(winners(name, x!, axes, beats), ({ place }) => place)
      return new Tensor('int32', reducedShape(x!.shape, axes, keepDims), data)
    },
  }
}

const extremumNames: OptionTable<AxisOptions & OutOption> = { ...axisNames, out: 'optional' }

/** Along which axis argmax and argmin look, if not along all. */
export interface PositionOptions {
  readonly axis?: number
  /** Keep the reduced axis with length 1. Default false. */
  readonly keepDims?: boolean
}

export const maxOp: KnownOp<Extremum> = extremum('max', above)
export const minOp: KnownOp<Extremum> = extremum('min', below)
export const argmaxOp: KnownOp<Extremum> = position('argmax', (x, best) => x > best)
export const argminOp: KnownOp<Extremum> = position('argmin', (x, best) => x < best)

/**
 * The largest element over axes (all by default). Exact. A NaN wins, as in NumPy, and comes out canonical; +0 is above
 * -0.
 *
 * Throws    RangeError where there are no elements to choose from.
 *
 * @example max(tensor([[1, 5], [7, 2]]), { axis: 1 }).toNested() // [5,7]
 */
export function max<D extends DType, O extends D = D>(
  x: Tensor<D>,
  options?: AxisOptions & OutOption<O>,
): Tensor<D>
export function max<O extends DType, D extends O>(
  x: Tensor<D>,
  options?: AxisOptions & OutOption<O>,
): Tensor<D>
export function max<D extends DType>(x: Tensor<D>, options?: AxisOptions & OutOption<D>): Tensor<D> {
  return extreme(maxOp, x, options)
}

/**
 * The smallest element over axes, as `max`.
 *
 * @example min(tensor([3, 1, 2])).item() // 1
 */
export function min<D extends DType, O extends D = D>(
  x: Tensor<D>,
  options?: AxisOptions & OutOption<O>,
): Tensor<D>
export function min<O extends DType, D extends O>(
  x: Tensor<D>,
  options?: AxisOptions & OutOption<O>,
): Tensor<D>
export function min<D extends DType>(x: Tensor<D>, options?: AxisOptions & OutOption<D>): Tensor<D> {
  return extreme(minOp, x, options)
}

/**
 * The position of the largest element along an axis, as int32: the first of equals, the first NaN before all. Without
 * `axis` the position in the flat tensor.
 *
 * @example argmax(tensor([3, 9, 9])).item() // 1
 */
export function argmax(x: Tensor, options?: PositionOptions): Tensor<'int32'> {
  return placed(argmaxOp, x, options)
}

/**
 * The position of the smallest element, as `argmax`.
 *
 * @example argmin(tensor([3, 9, 1])).item() // 2
 */
export function argmin(x: Tensor, options?: PositionOptions): Tensor<'int32'> {
  return placed(argminOp, x, options)
}

function extreme<D extends DType>(
  op: Op<Extremum>,
  x: Tensor<D>,
  options: (AxisOptions & OutOption<D>) | undefined,
): Tensor<D> {
  checkCall(op.name, x, options, extremumNames, axisFirst)
  const { axis, out } = options ?? {}
  const keepDims = keepsDims(op.name, options)
  return apply(op, [x], { axes: normalizeAxes(op.name, axis, x.rank), keepDims }, out) as Tensor<D>
}

function placed(op: Op<Extremum>, x: Tensor, options: PositionOptions | undefined): Tensor<'int32'> {
  checkCall(op.name, x, options, axisNames, axisFirst)
  const { axis } = options ?? {}
  const keepDims = keepsDims(op.name, options)
  const axes = axis === undefined ? undefined : [normalizeAxis(op.name, axis, x.rank)]
  return apply(op, [x], { axes: normalizeAxes(op.name, axes, x.rank), keepDims }) as Tensor<'int32'>
}
