import { sameShape, type Tensor } from '../tensors/tensor/index.js'

/** Throws a RangeError unless both have the same shape. */
export function checkShapes(op: string, a: Tensor, b: Tensor): void {
  if (sameShape(a.shape, b.shape)) return
  throw new RangeError(`${op}: shapes differ [${a.shape.join(', ')} and ${b.shape.join(', ')}]`)
}
