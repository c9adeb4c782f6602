import { checkOptions, type OptionTable, shown } from '../../options/index.js'
import { apply, operands } from '../storage/apply.js'
import { axisFirst, checkTensor } from '../storage/checkCall.js'
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

/** A list of tensors as it is; not one written out, whose members the types can compare. */
type Listed<T extends readonly Tensor[]> = number extends T['length'] ? unknown : readonly [never]

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
export function concat<D extends DType, E extends D = D>(
  tensors: readonly [Tensor<D>, ...Tensor<E>[]],
  options?: JoinOptions,
): Tensor<E>
export function concat<D extends DType, E extends D = D>(
  tensors: readonly [Tensor<E>, Tensor<D>],
  options?: JoinOptions,
): Tensor<E>
export function concat<T extends readonly Tensor[] | readonly []>(
  tensors: T & Listed<T>,
  options?: JoinOptions,
): Tensor<T[number]['dtype']>
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
export function stack<D extends DType, E extends D = D>(
  tensors: readonly [Tensor<D>, ...Tensor<E>[]],
  options?: JoinOptions,
): Tensor<E>
export function stack<D extends DType, E extends D = D>(
  tensors: readonly [Tensor<E>, Tensor<D>],
  options?: JoinOptions,
): Tensor<E>
export function stack<T extends readonly Tensor[] | readonly []>(
  tensors: T & Listed<T>,
  options?: JoinOptions,
): Tensor<T[number]['dtype']>
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
