import { checkArray, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { add } from '../elementwise/arithmetic.js'
import { concat } from '../layout/combine.js'
import { reshape } from '../layout/layout.js'
import { slice } from '../layout/slice.js'
import { take } from '../layout/take.js'
import { apply, operands } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import { zeros } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import { isSealed } from '../storage/seal.js'
import { normalizeAxis, sameShape } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { untraced } from '../storage/untraced.js'

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
 *           Indices may be computed inside of `compile`.
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
  checkTensor('scatterAdd', x)
  checkTensor('scatterAdd', updates)
  if (!(indices instanceof Tensor)) checkArray('scatterAdd', 'indices', indices)
  const axis = normalizeAxis('scatterAdd', options.axis ?? 0, x.rank)
  const length = x.shape[axis]!
  const given = indices instanceof Tensor ? indices.shape : [indices.length]
  const shape = [...x.shape.slice(0, axis), ...given, ...x.shape.slice(axis + 1)]
  if (!sameShape(updates.shape, shape)) {
    throw new RangeError(
      `scatterAdd: updates have another shape [${updates.shape.join(', ')}, not ${shape.join(', ')}]`,
    )
  }
  if (indices instanceof Tensor && isSealed(indices)) {
    return apply(scatterAddOp, [x, indices, updates], { axis }) as Tensor<D>
  }
  const list = Array.from(indices instanceof Tensor ? indices.data : indices, (index) => {
    const front = index < 0 ? index + length : index
    if (!Number.isInteger(front) || front < 0 || front >= length) {
      throw new RangeError(`scatterAdd: index outside an axis of ${length} [${index}]`)
    }
    return front
  })
  if (list.length === 0) return x
  const flat = reshape(updates, [...x.shape.slice(0, axis), list.length, ...x.shape.slice(axis + 1)])
  return added(x, list, flat, axis)
}

/** The same with indices that are not known yet: an operand between x and its updates, where the function is compiled. */
const scatterAddOp: KnownOp<{ readonly axis: number }> = {
  name: 'scatterAdd',
  form: 'whole',
  rounds: 'each step',
  kernel: ([x, indices, updates], options) =>
    scatterAdd(untraced(x!), untraced(indices!) as Tensor<'int32'>, untraced(updates!), options),
  gradient: ({ g, inputs: [, indices], attributes }) => [
    g,
    undefined,
    take(g, indices as Tensor<'int32'>, attributes),
  ],
  tangent: ({ tangents: [dx, , du], inputs: [x, indices, updates], attributes }) =>
    scatterAdd(
      dx ?? zeros(x!.shape, { dtype: x!.dtype }),
      indices as Tensor<'int32'>,
      du ?? zeros(updates!.shape, { dtype: x!.dtype }),
      attributes,
    ),
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
