import { shown } from '../../../base/options/index.js'

/** Sizes of a tensor's axes, outermost first; [] is a scalar. */
export type Shape = readonly number[]

/** The number of elements. */
export function sizeOf(shape: Shape): number {
  let n = 1
  for (const length of shape) n *= length
  return n
}

/** Elements between neighbours along each axis, row-major. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length)
  let step = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step
    step *= shape[axis]!
  }
  return strides
}

/** The most elements that a tensor has: places are int32 numbers. */
const most = 2 ** 31 - 1

/** Throws a RangeError unless every length is a whole number, zero or more. */
export function checkShape(op: string, shape: Shape): void {
  if (!Array.isArray(shape)) {
    throw new TypeError(
      `${op}: shape is not a list of lengths${typeof shape === 'number' ? `, write [${shape}]` : ''} [${shown(shape)}]`,
    )
  }
  for (const length of shape) {
    if (!Number.isInteger(length) || length < 0) {
      throw new RangeError(`${op}: not a shape [${shape.join(', ')}]`)
    }
  }
  if (sizeOf(shape) > most) throw new RangeError(`${op}: more than ${most} elements [${shape.join(', ')}]`)
}

/** An axis counted from the front; -1 is the last one. */
export function normalizeAxis(op: string, axis: number, rank: number): number {
  const front = axis < 0 ? axis + rank : axis
  if (!Number.isInteger(axis) || front < 0 || front >= rank) {
    throw new RangeError(`${op}: axis outside ${rank} dimensions [${shown(axis)}]`)
  }
  return front
}

/** Axes counted from the front, in ascending order; undefined means all. Repeated axes are an error. */
export function normalizeAxes(
  op: string,
  axes: number | readonly number[] | undefined,
  rank: number,
): number[] {
  if (axes === undefined) return allAxes(rank)
  if (typeof axes !== 'number' && !Array.isArray(axes)) {
    throw new TypeError(`${op}: axis is not a number or a list of them [${shown(axes)}]`)
  }
  const list = (typeof axes === 'number' ? [axes] : [...axes]).map((axis) => normalizeAxis(op, axis, rank))
  list.sort((a, b) => a - b)
  if (list.some((axis, i) => axis === list[i - 1])) {
    throw new RangeError(`${op}: repeated axis [${String(axes)}]`)
  }
  return list
}

// A loop: `Array.from` with a function takes longer than a small sum.
function allAxes(rank: number): number[] {
  const axes: number[] = []
  for (let axis = 0; axis < rank; axis++) axes.push(axis)
  return axes
}

/** The shape that two shapes broadcast to, by NumPy's rule. */
export function broadcastShapes(op: string, a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length)
  const shape = new Array<number>(rank)
  for (let axis = 0; axis < rank; axis++) {
    const fromA = a[axis - rank + a.length] ?? 1
    const fromB = b[axis - rank + b.length] ?? 1
    if (fromA !== fromB && fromA !== 1 && fromB !== 1) {
      throw new RangeError(`${op}: shapes do not broadcast [${a.join(', ')}] and [${b.join(', ')}]`)
    }
    shape[axis] = fromA === 1 ? fromB : fromA
  }
  return shape
}

/** Strides with which an operand of `shape` walks the broadcast shape `target`: 0 along repeated axes. */
export function broadcastStrides(shape: Shape, target: Shape): number[] {
  const own = stridesOf(shape)
  const lead = target.length - shape.length
  return target.map((_, axis) => (axis < lead || shape[axis - lead] === 1 ? 0 : own[axis - lead]!))
}

/** Whether two shapes are the same. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((length, axis) => length === b[axis])
}

/**
 * The offset of every position of `shape`, in row-major order of `shape`, in an array walked with `strides`.
 * Reading those offsets in order gathers a transposed, sliced or broadcast array.
 */
export function offsetsOf(shape: Shape, strides: readonly number[], start = 0): Int32Array {
  const offsets = new Int32Array(sizeOf(shape))
  if (offsets.length === 0) return offsets
  offsets[0] = start
  let filled = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const block = filled
    for (let i = 1; i < shape[axis]!; i++) {
      const shift = i * strides[axis]!
      for (let j = 0; j < block; j++) offsets[filled++] = offsets[j]! + shift
    }
  }
  return offsets
}
