import { checkOptions, type OptionTable, shown } from '../../../base/options/index.js'
import { apply, operands } from '../storage/apply.js'
import { axisFirst, checkTensor } from '../storage/checkCall.js'
import { allocate, type DType } from '../storage/dtype.js'
import { movable } from '../storage/move.js'
import { normalizeAxis, sameShape, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { reshape } from './layout.js'

/** The attributes of concat: the axis, counted from the front. */
export interface Joining {
  readonly axis: number
}

export const concatOp: KnownOp<Joining> = {
  name: 'concat',
  form: 'concat',
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
      for (let start = 0, at = before; start < from.length; start += own, at += row) {
        to.set(from.subarray(start, start + own) as never, at)
      }
      before += own
    }
    return new Tensor(first.dtype, shape, data)
  },
}

/** Along which axis tensors are joined. */
export interface JoinOptions {
  /** Default 0; negative ones from the end. */
  readonly axis?: number
}

/**
 * The dtype of the tensors in a list: of one written out what the dtypes have in common, nothing where two differ or where
 * one is no tensor.
 */
type SharedDtype<T extends readonly unknown[]> = T extends readonly [
  infer First extends Tensor,
  ...infer Rest extends readonly unknown[],
]
  ? First['dtype'] & SharedDtype<Rest>
  : T extends readonly []
    ? DType
    : T extends readonly (infer Member extends Tensor)[]
      ? Member['dtype']
      : never

/** What a list of tensors of one dtype is besides: anything; other lists are nothing. Generic dtypes are let through. */
type OfOneDtype<T extends readonly unknown[]> = Record<DType, unknown>[SharedDtype<T>]

function axisOf(op: string, tensors: unknown, options: JoinOptions | undefined): number {
  if (options !== undefined) checkOptions(op, options, joinNames, axisFirst)
  if (!Array.isArray(tensors)) throw new TypeError(`${op}: tensors are not a list [${shown(tensors)}]`)
  for (const x of tensors) checkTensor(op, x)
  return options?.axis ?? 0
}

const joinNames: OptionTable<JoinOptions> = { axis: 'optional' }

/**
 * Tensors joined along an existing axis; the other axes must be alike.
 *
 * @example concat([tensor([1]), tensor([2, 3])]).toNested() // [1,2,3]
 */
// The members are any at first: as tensors of any dtype they would give `tensor([1])`, written in the list, a dtype of any.
export function concat<T extends readonly unknown[] | readonly []>(
  tensors: T & OfOneDtype<T>,
  options?: JoinOptions,
): Tensor<SharedDtype<T>>
export function concat(tensors: readonly Tensor[], options?: JoinOptions): Tensor {
  const axis = axisOf('concat', tensors, options)
  if (tensors.length === 0) throw new RangeError('concat: needs at least one tensor [0]')
  const parts = operands('concat', tensors)
  const first = parts[0]!
  const along = normalizeAxis('concat', axis, first.rank)
  for (const part of parts) {
    if (
      part.rank !== first.rank ||
      !part.shape.every((length, i) => i === along || length === first.shape[i])
    ) {
      throw new RangeError(
        `concat: shapes differ off axis ${along} [${first.shape.join(', ')}] and [${part.shape.join(', ')}]`,
      )
    }
  }
  return apply(concatOp, parts, { axis: along })
}

/**
 * Tensors of one shape joined along a new axis.
 *
 * @example stack([tensor([1, 2]), tensor([3, 4])]).toNested() // [[1,2],[3,4]]
 */
export function stack<T extends readonly unknown[] | readonly []>(
  tensors: T & OfOneDtype<T>,
  options?: JoinOptions,
): Tensor<SharedDtype<T>>
export function stack(tensors: readonly Tensor[], options?: JoinOptions): Tensor {
  const axis = axisOf('stack', tensors, options)
  const first = tensors[0]
  if (!first) throw new RangeError('stack: needs at least one tensor [0]')
  const along = normalizeAxis('stack', axis, first.rank + 1)
  const widened = tensors.map((part) => {
    if (!sameShape(part.shape, first.shape)) {
      throw new RangeError(`stack: shapes differ [${first.shape.join(', ')}] and [${part.shape.join(', ')}]`)
    }
    return reshape(part, [...part.shape.slice(0, along), 1, ...part.shape.slice(along)])
  })
  return concat(widened, { axis: along })
}
