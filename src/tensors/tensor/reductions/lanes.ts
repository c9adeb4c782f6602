import type { AnyStorage } from '../storage/dtype.js'
import { offsetsOf, type Shape, sizeOf, stridesOf } from '../storage/shape.js'

/** The lanes of a reduction: element i of lane k is at starts[k] + placeIn(lanes, i). */
export interface Lanes {
  readonly starts: Int32Array
  /** Elements in each lane. */
  readonly length: number
  /** Elements of the array from one of the lane to the next, where that is the same all along; else undefined. */
  readonly step: number | undefined
  /** Where the elements lie, from the start of the lane, when there is no such step. */
  readonly places: Int32Array | undefined
}

/** Lanes along `axes` (ascending), in row-major order of the axes that stay. */
export function lanesOf(shape: Shape, axes: readonly number[]): Lanes {
  const strides = stridesOf(shape)
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis))
  const pick = (list: Shape, which: readonly number[]): number[] => which.map((axis) => list[axis]!)
  const lengths = pick(shape, axes)
  const steps = pick(strides, axes)
  const even = steps.every((step, i) => i === steps.length - 1 || step === steps[i + 1]! * lengths[i + 1]!)
  return {
    starts: offsetsOf(pick(shape, kept), pick(strides, kept)),
    length: sizeOf(lengths),
    step: even ? (steps.at(-1) ?? 1) : undefined,
    places: even ? undefined : offsetsOf(lengths, steps),
  }
}

/** The places of the elements of all lanes, lane after lane. */
export function laneTable(lanes: Lanes): Int32Array {
  const { starts, length } = lanes
  const at = new Int32Array(starts.length * length)
  let k = 0
  for (const start of starts) for (let i = 0; i < length; i++) at[k++] = start + placeIn(lanes, i)
  return at
}

/** Of the lanes along one axis the one that an element of the array lies in. */
export function laneOf(shape: Shape, axis: number): (element: number) => number {
  const inner = sizeOf(shape.slice(axis + 1))
  const block = shape[axis]! * inner
  return (element) => Math.floor(element / block) * inner + (element % inner)
}

/** Where element i of a lane lies, from the start of the lane. */
export function placeIn({ step, places }: Lanes, i: number): number {
  return places ? places[i]! : i * step!
}

/** Copies the lane that begins at `start` into `lane`. */
export function readLane(values: AnyStorage, start: number, lanes: Lanes, lane: Float64Array): void {
  const { length, step, places } = lanes
  if (step === 1) lane.set(values.subarray(start, start + length))
  else if (places) for (let i = 0; i < length; i++) lane[i] = values[start + places[i]!]!
  else for (let i = 0, at = start; i < length; i++, at += step!) lane[i] = values[at]!
}

/** Lanes of float32 numbers shorter than this are not worth a kernel's call each. */
export const shortLane = 32

/** The lane of float32 numbers that begins at a place: a part of the array where it lies so, else a copy, the same each time. */
export function float32Lanes(values: AnyStorage, lanes: Lanes): (start: number) => Float32Array {
  const { length, step, places } = lanes
  if (step === 1 && values instanceof Float32Array) return (start) => values.subarray(start, start + length)
  const lane = new Float32Array(length)
  return (start) => {
    if (step === 1) lane.set(values.subarray(start, start + length))
    else if (places) for (let i = 0; i < length; i++) lane[i] = values[start + places[i]!]!
    else for (let i = 0, at = start; i < length; i++, at += step!) lane[i] = values[at]!
    return lane
  }
}

/** The shape after reducing `axes`: without them, or with length 1 in their place. */
export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): number[] {
  if (keepDims) return shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
  return shape.filter((_, axis) => !axes.includes(axis))
}
