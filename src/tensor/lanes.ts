import { offsetsOf, type Shape, stridesOf } from './shape.js'

/** The lanes of a reduction: lane k is the elements at starts[k] + places[i], i ascending. */
export interface Lanes {
  readonly starts: Int32Array
  readonly places: Int32Array
  /** Elements in each lane. */
  readonly length: number
  /** Whether places is 0, 1, 2, ...: the lane lies contiguously. */
  readonly contiguous: boolean
}

/** Lanes along `axes` (ascending), in row-major order of the axes that stay. */
export function lanesOf(shape: Shape, axes: readonly number[]): Lanes {
  const strides = stridesOf(shape)
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis))
  const pick = (list: Shape, which: readonly number[]): number[] => which.map((axis) => list[axis]!)
  const places = offsetsOf(pick(shape, axes), pick(strides, axes))
  return {
    starts: offsetsOf(pick(shape, kept), pick(strides, kept)),
    places,
    length: places.length,
    contiguous: kept.every((axis) => axes.every((reduced) => axis < reduced)),
  }
}

/** The shape after reducing `axes`: without them, or with length 1 in their place. */
export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): number[] {
  if (keepDims) return shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
  return shape.filter((_, axis) => !axes.includes(axis))
}
