import { apply, operands } from '../storage/apply.js'
import { allocate, type DType } from '../storage/dtype.js'
import { movable } from '../storage/move.js'
import { normalizeAxis, sameShape, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { reshape } from './layout.js'

/** What concat is told: the axis, counted from the front. */
export interface Joining {
  readonly axis: number
}

export const concatOp: KnownOp<Joining> = {
  name: 'concat',
  form: 'joins',
  rounds: 'never',
  kernel: (parts, { axis }) => {
    const first = parts[0]!
    const shape = [...first.shape]
    shape[axis] = parts.reduce((n, part) => n + part.shape[axis]!, 0)
    const data = allocate(first.dtype, sizeOf(shape))
    const to = movable(data)
    const row = sizeOf(shape.slice(axis))
    let before = 0
    for (const part of parts) {
      const from = movable(part.data)
      const own = sizeOf(part.shape.slice(axis))
      for (let start = 0, at = before; start < from.length; start += own, at += row)
        to.set(from.subarray(start, start + own) as never, at)
      before += own
    }
    return new Tensor(first.dtype, shape, data)
  },
}

/**
 * Tensors joined along an existing axis; the other axes must be alike.
 *
 * @example concat([tensor([1]), tensor([2, 3])]).toNested() // [1,2,3]
 */
export function concat<D extends DType>(
  tensors: readonly Tensor<D>[],
  { axis = 0 }: { axis?: number } = {},
): Tensor<D> {
  if (tensors.length === 0) throw new RangeError('concat: needs at least one tensor [0]')
  const parts = operands('concat', tensors)
  const first = parts[0]!
  const along = normalizeAxis('concat', axis, first.rank)
  for (const part of parts) {
    if (
      part.rank !== first.rank ||
      !part.shape.every((length, i) => i === along || length === first.shape[i])
    )
      throw new RangeError(
        `concat: shapes differ off axis ${along} [${first.shape.join(', ')}] and [${part.shape.join(', ')}]`,
      )
  }
  return apply(concatOp, parts, { axis: along }) as Tensor<D>
}

/**
 * Tensors of one shape joined along a new axis.
 *
 * @example stack([tensor([1, 2]), tensor([3, 4])]).toNested() // [[1,2],[3,4]]
 */
export function stack<D extends DType>(
  tensors: readonly Tensor<D>[],
  { axis = 0 }: { axis?: number } = {},
): Tensor<D> {
  const first = tensors[0]
  if (!first) throw new RangeError('stack: needs at least one tensor [0]')
  const along = normalizeAxis('stack', axis, first.rank + 1)
  const widened = tensors.map((part) => {
    if (!sameShape(part.shape, first.shape))
      throw new RangeError(`stack: shapes differ [${first.shape.join(', ')}] and [${part.shape.join(', ')}]`)
    return reshape(part, [...part.shape.slice(0, along), 1, ...part.shape.slice(along)])
  })
  return concat(widened, { axis: along })
}
