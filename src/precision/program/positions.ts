import { broadcastTo, type Op, type Shape, Tensor, tensor } from '../../tensor/index.js'

/**
 * Where the elements of a moving operation's result come from, as indices into its operands laid end to end; -1 where the
 * operation writes a zero of its own (outside a triangle). Found by moving the indices themselves.
 */
export function movedPositions(op: Op, attributes: unknown, shapes: readonly Shape[]): Int32Array {
  let next = 1
  const indices = shapes.map((shape) => {
    const size = shape.reduce((n, length) => n * length, 1)
    const numbers = Int32Array.from({ length: size }, (_, i) => next + i)
    next += size
    return new Tensor('int32', shape, numbers)
  })
  return (op.kernel(indices, attributes).data as Int32Array).map((index) => index - 1)
}

/** Where the elements of an operand lie under a broadcast result; undefined where they are simply in step. */
export function broadcastPositions(shape: Shape, target: Shape): Int32Array | undefined {
  if (shape.length === target.length && shape.every((length, axis) => length === target[axis]))
    return undefined
  const size = shape.reduce((n, length) => n * length, 1)
  const indices = tensor(
    Int32Array.from({ length: size }, (_, i) => i),
    { shape, dtype: 'int32' },
  )
  return broadcastTo(indices, target).data
}

/**
 * The positions that every result of a reduction or scan over these axes reads: lane k in row k, in the order of the
 * sum.
 */
export function lanePositions(
  shape: Shape,
  axes: readonly number[],
): { lanes: number; length: number; at: Int32Array } {
  const size = shape.reduce((n, length) => n * length, 1)
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((n, length) => n * length, 1))
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis))
  const length = axes.reduce((n, axis) => n * shape[axis]!, 1)
  const lanes = kept.reduce((n, axis) => n * shape[axis]!, 1)
  const at = new Int32Array(size)
  const order = [...kept, ...axes]
  const place = order.map(() => 0)
  for (let i = 0, offset = 0; i < size; i++) {
    at[i] = offset
    for (let k = order.length - 1; k >= 0; k--) {
      const axis = order[k]!
      offset += strides[axis]!
      if (++place[k]! < shape[axis]!) break
      offset -= strides[axis]! * shape[axis]!
      place[k] = 0
    }
  }
  return { lanes, length, at }
}
