import { type DType, type NumberArray, type Shape, sizeOf, type Tensor, tensor } from '../tensor/index.js'

/** A draw of as many elements as a shape has, as a tensor of that shape: the flat draw, row-major. */
export function shaped<D extends DType>(
  op: string,
  shape: Shape,
  dtype: D,
  out: unknown,
  draw: (n: number) => NumberArray,
): Tensor<D> {
  if (out !== undefined) {
    throw new RangeError(
      `${op}: out is for a number of elements, a shape gives a tensor [${shape.join(', ')}]`,
    )
  }
  if (shape.some((length) => !Number.isInteger(length) || length < 0)) {
    throw new RangeError(`${op}: not a shape [${shape.join(', ')}]`)
  }
  return tensor(draw(sizeOf(shape)), { shape, dtype })
}

/** Whether a shape was asked for, not a number of elements. */
export function isShape(n: number | Shape): n is Shape {
  return Array.isArray(n)
}
