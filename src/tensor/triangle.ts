import { apply } from './apply.js'
import { weak } from './create.js'
import { allocate, type DType } from './dtype.js'
import { movable } from './move.js'
import { type Op, Tensor } from './tensor.js'

function triangle(
  name: string,
  keeps: (row: number, column: number, k: number) => boolean,
): Op<{ k: number }> {
  return {
    name,
    kernel: ([x], { k }) => {
      const data = allocate(x!.dtype, x!.size)
      const from = movable(x!.data)
      const to = movable(data)
      to.fill(movable(weak(name, 0, x!.dtype).data)[0]!)
      const [rows, columns] = x!.shape.slice(-2) as [number, number]
      for (let i = 0; i < from.length; i++) {
        if (keeps(Math.floor(i / columns) % rows, i % columns, k)) to[i] = from[i]!
      }
      return new Tensor(x!.dtype, x!.shape, data)
    },
  }
}

export const trilOp: Op<{ k: number }> = triangle('tril', (row, column, k) => column <= row + k)
export const triuOp: Op<{ k: number }> = triangle('triu', (row, column, k) => column >= row + k)

/**
 * The lower triangle of the last two axes, up to the k-th diagonal above the main one; +0 elsewhere.
 *
 * @example tril(tensor([[1, 2], [3, 4]])).toNested() // [[1,0],[3,4]]
 */
export function tril<D extends DType>(x: Tensor<D>, { k = 0 }: { k?: number } = {}): Tensor<D> {
  return cut(trilOp, x, k)
}

/**
 * The upper triangle of the last two axes, from the k-th diagonal above the main one; +0 elsewhere.
 *
 * @example triu(tensor([[1, 2], [3, 4]])).toNested() // [[1,2],[0,4]]
 */
export function triu<D extends DType>(x: Tensor<D>, { k = 0 }: { k?: number } = {}): Tensor<D> {
  return cut(triuOp, x, k)
}

function cut<D extends DType>(op: Op<{ k: number }>, x: Tensor<D>, k: number): Tensor<D> {
  if (x.rank < 2) throw new RangeError(`${op.name}: needs two dimensions or more [${x.shape.join(', ')}]`)
  if (!Number.isInteger(k)) throw new RangeError(`${op.name}: diagonal is not a whole number [${k}]`)
  return apply(op, [x], { k }) as Tensor<D>
}
