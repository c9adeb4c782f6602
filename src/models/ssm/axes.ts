import { matrixTranspose, reshape, type Tensor } from '../../tensors/tensor/index.js'

/** x with a new last axis of length 1. */
export function asColumn(x: Tensor): Tensor {
  return reshape(x, [...x.shape, 1])
}

/** x with a new axis of length 1 before its last. */
export function asRow(x: Tensor): Tensor {
  return reshape(x, [...x.shape.slice(0, -1), 1, x.shape.at(-1)!])
}

/** x with its last two axes exchanged. */
export function flipped(x: Tensor): Tensor {
  const { shape } = x
  const [rows, columns] = shape.slice(-2) as [number, number]
  // A column and its row have the same elements in the same places.
  if (rows === 1 || columns === 1) return reshape(x, [...shape.slice(0, -2), columns, rows])
  return matrixTranspose(x)
}

/** The lengths that shapes broadcast to, aligned at their ends; those that do not fit are left to the operations. */
export function commonLengths(shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length))
  return Array.from(
    { length: rank },
    (_, i) => shapes.map((shape) => shape[i - rank + shape.length] ?? 1).find((length) => length !== 1) ?? 1,
  )
}
