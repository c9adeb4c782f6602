import { apply } from '../storage/apply.js'
import { checkCall } from '../storage/checkCall.js'
import { allocate, type DType } from '../storage/dtype.js'
import { weak } from '../storage/fill.js'
import { movable } from '../storage/move.js'
import { type KnownOp, type Op, Tensor } from '../storage/tensor.js'

/** The attributes of tril and triu: a diagonal, 0 the main one. */
export interface Diagonal {
  readonly k: number
}

/** Copies the columns from..to of each row, given the row, and leaves zero elsewhere. */
function triangle(
  name: string,
  kept: (row: number, k: number, columns: number) => readonly [from: number, to: number],
): KnownOp<Diagonal> {
  return {
    name,
    form: 'view',
    rounds: 'never',
    kernel: ([x], { k }) => {
      const data = allocate(x!.dtype, x!.size)
      const from = movable(x!.data)
      const to = movable(data)
      const zero = movable(weak(name, 0, x!.dtype).data)[0]!
      if (zero !== 0) to.fill(zero)
      const [rows, columns] = x!.shape.slice(-2) as [number, number]
      for (let start = 0, row = 0; start < from.length; start += columns, row = (row + 1) % rows) {
        const [first, behind] = kept(row, k, columns)
        const begin = start + Math.max(0, first)
        const end = start + Math.min(columns, behind)
        if (begin < end) to.set(from.subarray(begin, end), begin)
      }
      return new Tensor(x!.dtype, x!.shape, data)
    },
  }
}

export const trilOp: KnownOp<Diagonal> = triangle('tril', (row, k) => [0, row + k + 1])
export const triuOp: KnownOp<Diagonal> = triangle('triu', (row, k, columns) => [row + k, columns])

/**
 * The lower triangle of the last two axes, up to the k-th diagonal above the main one; +0 elsewhere.
 *
 * @example tril(tensor([[1, 2], [3, 4]])).toNested() // [[1,0],[3,4]]
 */
export function tril<D extends DType>(x: Tensor<D>, options?: Partial<Diagonal>): Tensor<D> {
  return cut(trilOp, x, options)
}

/**
 * The upper triangle of the last two axes, from the k-th diagonal above the main one; +0 elsewhere.
 *
 * @example triu(tensor([[1, 2], [3, 4]])).toNested() // [[1,2],[0,4]]
 */
export function triu<D extends DType>(x: Tensor<D>, options?: Partial<Diagonal>): Tensor<D> {
  return cut(triuOp, x, options)
}

function cut<D extends DType>(op: Op<Diagonal>, x: Tensor<D>, options?: Partial<Diagonal>): Tensor<D> {
  checkCall(op.name, x, options, { k: 'optional' }, { positional: 'k' })
  const { k = 0 } = options ?? {}
  if (x.rank < 2) throw new RangeError(`${op.name}: needs two dimensions or more [${x.shape.join(', ')}]`)
  if (!Number.isInteger(k)) throw new RangeError(`${op.name}: diagonal is not a whole number [${k}]`)
  return apply(op, [x], { k }) as Tensor<D>
}
