import type { Tensor } from '../tensor/index.js'

/** Throws a RangeError unless both have the same shape. */
export function checkShapes(op: string, a: Tensor, b: Tensor): void {
  if (a.rank === b.rank && a.shape.every((length, axis) => length === b.shape[axis])) return
  throw new RangeError(`${op}: shapes differ [${a.shape.join(', ')} and ${b.shape.join(', ')}]`)
}
