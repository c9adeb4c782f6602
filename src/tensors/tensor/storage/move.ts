import { type AnyStorage, allocate, type DType, elementsIn, type Storage } from './dtype.js'
import { offsetsOf, type Shape, sizeOf } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * Storage as elements that move without changing a bit: float32 through integer views, since a float32 NaN
 * that passes through a number may come out quiet. Float64 numbers keep their bits, and bigints pass for numbers.
 */
export function movable(data: Storage): Exclude<AnyStorage, Float32Array> {
  if (data instanceof Float32Array) return new Uint32Array(data.buffer, data.byteOffset, data.length)
  return elementsIn(data) as Exclude<AnyStorage, Float32Array>
}

/** The elements of x at `offsets`, in that order, as a tensor of `shape`. */
export function gather<D extends DType>(x: Tensor<D>, shape: Shape, offsets: Int32Array): Tensor<D> {
  const data: Storage<D> = allocate(x.dtype, offsets.length)
  const from = movable(x.data)
  const to = movable(data)
  for (let i = 0; i < offsets.length; i++) to[i] = from[offsets[i]!]!
  return new Tensor(x.dtype, shape, data)
}

/** Elements of a run from which on it is copied in one go. */
const longRun = 64

/** The elements of x that a walk of `shape` with `strides` from `start` on meets, as a tensor of `shape`: those of `offsetsOf`, by runs. */
export function gatherAlong<D extends DType>(
  x: Tensor<D>,
  shape: Shape,
  strides: readonly number[],
  start = 0,
): Tensor<D> {
  const data: Storage<D> = allocate(x.dtype, sizeOf(shape))
  if (data.length === 0) return new Tensor(x.dtype, shape, data)
  const axes = [...shape.keys()].filter((axis) => shape[axis]! > 1)
  // The last axes together, as far as one step leads through all of them.
  let [run, step] = [1, 1]
  for (let axis = axes.pop(); axis !== undefined; axis = axes.pop()) {
    if (run > 1 && strides[axis] !== run * step) {
      axes.push(axis)
      break
    }
    if (run === 1) step = strides[axis]!
    run *= shape[axis]!
  }
  const starts = offsetsOf(
    axes.map((axis) => shape[axis]!),
    axes.map((axis) => strides[axis]!),
    start,
  )
  const from = movable(x.data)
  const to = movable(data)
  for (let k = 0, at = 0; k < starts.length; k++, at += run) {
    const first = starts[k]!
    if (step === 1 && run >= longRun) to.set(from.subarray(first, first + run), at)
    else moveRun(from, first, step, run, to, at)
  }
  return new Tensor(x.dtype, shape, data)
}

type Movable = ReturnType<typeof movable>

/** A function of its own, which is hot sooner than all of a walk. */
function moveRun(from: Movable, first: number, step: number, run: number, to: Movable, at: number): void {
  for (let i = 0, place = first; i < run; i++, place += step) to[at + i] = from[place]!
}
