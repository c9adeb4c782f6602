import { checkOptions, noOptions, type OptionTable } from '../../options/index.js'
import { add } from '../elementwise/arithmetic.js'
import { concat } from '../layout/combine.js'
import { reshape } from '../layout/layout.js'
import { slice } from '../layout/slice.js'
import { take } from '../layout/take.js'
import { operands } from '../storage/apply.js'
import type { DType } from '../storage/dtype.js'
import { normalizeAxis, sameShape } from '../storage/shape.js'
import { Tensor } from '../storage/tensor.js'

/** Along which axis rows are added. */
export interface ScatterAddOptions {
  /** Default: the first. */
  readonly axis?: number
}

const names: OptionTable<ScatterAddOptions> = { axis: 'optional' }

/**
 * x with rows added to its rows at the given positions, as JAX's x.at[indices].add(updates).
 *
 * Shape     updates: x with `axis` replaced by the shape of the indices, as `take` gives it.
 * Rounding  every addition once to the dtype; a row that is named several times is added to in the order of the indices.
 * Special   negative indices count from the end.
 * Throws    RangeError for an index outside the axis.
 *
 * @example scatterAdd(tensor([1, 2, 3]), [0, 2, 0], tensor([10, 20, 30])).toNested() // [41,2,23]
 */
export function scatterAdd<D extends DType>(
  x: Tensor<D>,
  indices: Tensor<'int32' | 'uint32'> | readonly number[],
  updates: Tensor<D>,
  options: ScatterAddOptions = noOptions,
): Tensor<D> {
  checkOptions('scatterAdd', options, names, { positional: 'axis' })
  operands('scatterAdd', [x, updates])
  const axis = normalizeAxis('scatterAdd', options.axis ?? 0, x.rank)
  const length = x.shape[axis]!
  const list = Array.from(indices instanceof Tensor ? indices.data : indices, (index) => {
    const front = index < 0 ? index + length : index
    if (!Number.isInteger(front) || front < 0 || front >= length) {
      throw new RangeError(`scatterAdd: index outside an axis of ${length} [${index}]`)
    }
    return front
  })
  const given = indices instanceof Tensor ? indices.shape : [list.length]
  const shape = [...x.shape.slice(0, axis), ...given, ...x.shape.slice(axis + 1)]
  if (!sameShape(updates.shape, shape)) {
    throw new RangeError(
      `scatterAdd: updates have another shape [${updates.shape.join(', ')}, not ${shape.join(', ')}]`,
    )
  }
  if (list.length === 0) return x
  const flat = reshape(updates, [...x.shape.slice(0, axis), list.length, ...x.shape.slice(axis + 1)])
  return added(x, list, flat, axis)
}

function added<D extends DType>(
  x: Tensor<D>,
  list: readonly number[],
  updates: Tensor<D>,
  axis: number,
): Tensor<D> {
  const turns = new Map<number, number[]>()
  for (const [i, row] of list.entries()) {
    const own = turns.get(row)
    if (own) own.push(i)
    else turns.set(row, [i])
  }
  // Rows that are added to most often first: those of each turn are then the first of the turn before.
  const rows = [...turns].sort(([, a], [, b]) => b.length - a.length)
  const before = x.shape.slice(0, axis).map(() => null)
  let sums = take(
    x,
    rows.map(([row]) => row),
    { axis },
  )
  const done: Tensor<D>[] = []
  for (let turn = 0; turn < rows[0]![1].length; turn++) {
    const places = rows.flatMap(([, own]) => own[turn] ?? [])
    if (places.length < sums.shape[axis]!) {
      done.unshift(slice(sums, [...before, [places.length, null]]))
      sums = slice(sums, [...before, [0, places.length]])
    }
    sums = add(sums, take(updates, places, { axis }))
  }
  const where = Array.from({ length: x.shape[axis]! }, (_, row) => row)
  for (const [i, [row]] of rows.entries()) where[row] = where.length + i
  return take(concat([x, sums, ...done], { axis }), where, { axis })
}
