import { shown } from '../../../base/options/index.js'
import { apply } from '../storage/apply.js'
import { axisFirst, checkCall, checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import { gatherAlong } from '../storage/move.js'
import { normalizeAxis, type Shape, stridesOf } from '../storage/shape.js'
import type { KnownOp, Tensor } from '../storage/tensor.js'

/**
 * What to keep of one axis, as in NumPy: an index (the axis goes), null (all of it), or [start, stop, step] with
 * stop excluded. Negative positions count from the end; null is that end of the axis.
 */
export type Range = number | null | readonly [start: number | null, stop: number | null, step?: number]

/** The attributes of slice: the result is read from `start` on with these strides. */
export interface Slicing {
  readonly shape: Shape
  readonly start: number
  readonly strides: readonly number[]
}

export const sliceOp: KnownOp<Slicing> = {
  name: 'slice',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { shape, start, strides }) => gatherAlong(x!, shape, strides, start),
}

/**
 * Part of a tensor (`hardware.slice` is a slice of TPU chips), one range per axis from the first; axes without one are kept
 * whole. A range reaching outside is cut, as in NumPy.
 *
 * Throws    RangeError for an index outside the axis, and more ranges than axes; TypeError for a range of another kind.
 *
 * @example slice(tensor([[1, 2, 3], [4, 5, 6]]), [0, [1, null]]).toNested() // [2,3]
 * @example slice(tensor([1, 2, 3]), [[null, null, -1]]).toNested() // [3,2,1]
 */
export function slice<D extends DType>(x: Tensor<D>, ranges: readonly Range[]): Tensor<D> {
  checkTensor('slice', x)
  if (!Array.isArray(ranges)) {
    throw new TypeError(`slice: ranges are not a list, one an axis [${shown(ranges)}]`)
  }
  if (ranges.length > x.rank) {
    throw new RangeError(`slice: more ranges than the ${x.rank} dimensions [${ranges.length}]`)
  }
  const steps = stridesOf(x.shape)
  const shape: number[] = []
  const strides: number[] = []
  let start = 0
  for (const [axis, length] of x.shape.entries()) {
    const range = ranges[axis] ?? null
    if (typeof range === 'number') {
      start += position(range, length) * steps[axis]!
      continue
    }
    const [from, count, by] = resolve(range ?? [null, null], length)
    start += from * steps[axis]!
    shape.push(count)
    strides.push(by * steps[axis]!)
  }
  return apply(sliceOp, [x], { shape, start, strides }) as Tensor<D>
}

function position(index: number, length: number): number {
  const front = index < 0 ? index + length : index
  if (!Number.isInteger(index) || front < 0 || front >= length) {
    throw new RangeError(`slice: index outside an axis of ${length} [${index}]`)
  }
  return front
}

function resolve(
  range: readonly [number | null, number | null, number?],
  length: number,
): [from: number, count: number, step: number] {
  if (!Array.isArray(range) || range.length < 2 || range.length > 3) {
    throw new TypeError(
      `slice: range is not an index, null, [start, stop] or [start, stop, step] [${shown(range)}]`,
    )
  }
  const [start, stop, step = 1] = range
  for (const value of [start === null ? 0 : start, stop === null ? 0 : stop, step]) {
    if (!Number.isInteger(value)) throw new RangeError(`slice: range is not whole [${shown(value)}]`)
  }
  if (step === 0) throw new RangeError('slice: step is zero [0]')
  const low = step > 0 ? 0 : -1
  const high = step > 0 ? length : length - 1
  const clamp = (value: number): number => Math.min(high, Math.max(low, value < 0 ? value + length : value))
  const from = start === null ? (step > 0 ? low : high) : clamp(start)
  const to = stop === null ? (step > 0 ? high : low) : clamp(stop)
  const count = Math.max(0, Math.ceil((to - from) / step))
  return [count === 0 ? 0 : from, count, step]
}

/**
 * A tensor split along an axis (`random.split` splits a key): into equal sections, or before each of the given positions.
 *
 * @example split(tensor([1, 2, 3, 4]), 2).map((part) => part.toNested()) // [[1,2],[3,4]]
 * @example split(tensor([1, 2, 3, 4]), [1]).map((part) => part.toNested()) // [[1],[2,3,4]]
 */
export function split<D extends DType>(
  x: Tensor<D>,
  sections: number | readonly number[],
  options?: { axis?: number },
): Tensor<D>[] {
  checkCall('split', x, options, { axis: 'optional' }, axisFirst)
  const { axis = 0 } = options ?? {}
  const along = normalizeAxis('split', axis, x.rank)
  const length = x.shape[along]!
  if (typeof sections !== 'number' && !Array.isArray(sections)) {
    throw new TypeError(`split: sections are not a number or a list of positions [${shown(sections)}]`)
  }
  const cuts = typeof sections === 'number' ? equalCuts(sections, length) : sections
  const ends = [...cuts, length]
  return ends.map((end, i) => {
    const whole: Range[] = x.shape.map(() => null)
    whole[along] = [i === 0 ? 0 : ends[i - 1]!, end]
    return slice(x, whole)
  })
}

function equalCuts(sections: number, length: number): number[] {
  if (!Number.isInteger(sections) || sections < 1 || length % sections !== 0) {
    throw new RangeError(`split: axis of ${length} does not fall into equal sections [${sections}]`)
  }
  return Array.from({ length: sections - 1 }, (_, i) => ((i + 1) * length) / sections)
}
