import { shown } from '../../../base/options/index.js'
import { apply } from '../storage/apply.js'
import type { AxisOptions } from '../storage/axisOptions.js'
import { walk } from '../storage/broadcast.js'
import { axisFirst, checkCall, checkTensor } from '../storage/checkCall.js'
import { allocate, type DType } from '../storage/dtype.js'
import { gatherAlong, movable } from '../storage/move.js'
import {
  broadcastShapes,
  checkShape,
  normalizeAxes,
  type Shape,
  sameShape,
  sizeOf,
  stridesOf,
} from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'

/** The attributes of reshape and broadcastTo: the shape of the result. */
export interface Shaping {
  readonly shape: Shape
}

/** The attributes of transpose and flip: axes counted from the front; all of them, in their new order, for transpose. */
export interface Axes {
  readonly axes: readonly number[]
}

export const reshapeOp: KnownOp<Shaping> = {
  name: 'reshape',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { shape }) => new Tensor(x!.dtype, shape, x!.data),
}

/**
 * The same elements under another shape of the same size; one length may be -1 and is worked out. The result shares
 * the elements of x.
 *
 * @example reshape(arange(0, 6), [2, -1]).shape // [2,3]
 */
export function reshape<D extends DType>(x: Tensor<D>, shape: Shape): Tensor<D> {
  checkTensor('reshape', x)
  if (!Array.isArray(shape)) checkShape('reshape', shape)
  const open = shape.indexOf(-1)
  const known = shape.reduce((n, length, axis) => (axis === open ? n : n * length), 1)
  const whole = shape.map((length, axis) => (axis === open ? (known === 0 ? 0 : x.size / known) : length))
  checkShape('reshape', whole)
  if (sizeOf(whole) !== x.size || (open >= 0 && known === 0)) {
    throw new RangeError(`reshape: shape does not hold ${x.size} elements [${shape.join(', ')}]`)
  }
  return apply(reshapeOp, [x], { shape: whole }) as Tensor<D>
}

export const transposeOp: KnownOp<Axes> = {
  name: 'transpose',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { axes }) => {
    const strides = stridesOf(x!.shape)
    const shape = axes.map((axis) => x!.shape[axis]!)
    const order = axes.map((axis) => strides[axis]!)
    if (staysInPlace(x!.shape, axes)) return new Tensor(x!.dtype, shape, x!.data.slice())
    return gatherAlong(x!, shape, order)
  },
}

/** Whether the axes longer than 1 keep their order, so that no element moves. */
function staysInPlace(shape: Shape, axes: readonly number[]): boolean {
  const long = axes.filter((axis) => shape[axis] !== 1)
  return long.every((axis, i) => i === 0 || axis > long[i - 1]!)
}

/**
 * Axes in another order: axis i of the result is axis `axes[i]` of x; by default all reversed.
 *
 * @example transpose(tensor([[1, 2], [3, 4]])).toNested() // [[1,3],[2,4]]
 */
export function transpose<D extends DType>(x: Tensor<D>, axes?: readonly number[]): Tensor<D> {
  checkTensor('transpose', x)
  if (axes !== undefined && !Array.isArray(axes)) {
    throw new TypeError(`transpose: axes are not a list [${shown(axes)}]`)
  }
  const order = axes
    ? axes.map((axis) => (axis < 0 ? axis + x.rank : axis))
    : x.shape.map((_, i) => x.rank - 1 - i)
  const sorted = normalizeAxes('transpose', order, x.rank)
  if (sorted.length !== x.rank) {
    throw new RangeError(`transpose: needs all ${x.rank} axes once [${order.join(', ')}]`)
  }
  return apply(transposeOp, [x], { axes: order }) as Tensor<D>
}

export const broadcastToOp: KnownOp<Shaping> = {
  name: 'broadcastTo',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { shape }) => {
    const data = allocate(x!.dtype, sizeOf(shape))
    const from = movable(x!.data)
    const to = movable(data)
    const { run, steps, offsets } = walk([x!.shape], shape)
    const starts = offsets[0]!
    for (let k = 0, at = 0; k < starts.length; k++, at += run) {
      const start = starts[k]!
      if (steps[0] === 0) to.fill(from[start]!, at, at + run)
      else for (let i = 0; i < run; i++) to[at + i] = from[start + i]!
    }
    return new Tensor(x!.dtype, shape, data)
  },
}

/**
 * x repeated along axes of length 1, and along new axes in front, until it has this shape.
 *
 * @example broadcastTo(tensor([1, 2]), [2, 2]).toNested() // [[1,2],[1,2]]
 */
export function broadcastTo<D extends DType>(x: Tensor<D>, shape: Shape): Tensor<D> {
  checkTensor('broadcastTo', x)
  checkShape('broadcastTo', shape)
  if (!sameShape(broadcastShapes('broadcastTo', x.shape, shape), shape)) {
    throw new RangeError(
      `broadcastTo: ${x.rank} axes do not fit [${x.shape.join(', ')}] to [${shape.join(', ')}]`,
    )
  }
  return apply(broadcastToOp, [x], { shape: [...shape] }) as Tensor<D>
}

export const flipOp: KnownOp<Axes> = {
  name: 'flip',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { axes }) => {
    const strides = stridesOf(x!.shape)
    let start = 0
    for (const axis of axes) {
      start += Math.max(0, x!.shape[axis]! - 1) * strides[axis]!
      strides[axis] = -strides[axis]!
    }
    return gatherAlong(x!, x!.shape, strides, start)
  },
}

/**
 * Elements in reverse order along `axis`, one or several; all by default.
 *
 * @example flip(tensor([1, 2, 3])).toNested() // [3,2,1]
 */
export function flip<D extends DType>(x: Tensor<D>, options?: Pick<AxisOptions, 'axis'>): Tensor<D> {
  checkCall('flip', x, options, { axis: 'optional' }, axisFirst)
  return apply(flipOp, [x], { axes: normalizeAxes('flip', options?.axis, x.rank) }) as Tensor<D>
}
