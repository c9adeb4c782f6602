import { shown } from '../../../base/options/index.js'
import { apply } from '../storage/apply.js'
import { axisFirst, checkCall } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import { gather } from '../storage/move.js'
import { isSealed } from '../storage/seal.js'
import { normalizeAxis, type Shape, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { reshape } from './layout.js'

/** The attributes of take: rows along an axis counted from the front, and the shape of the result. */
export interface Taking {
  readonly indices: Int32Array
  readonly axis: number
  readonly shape: Shape
}

export const takeOp: KnownOp<Taking> = {
  name: 'take',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { indices, axis, shape }) => {
    const length = x!.shape[axis]!
    const inner = sizeOf(x!.shape.slice(axis + 1))
    const outer = sizeOf(x!.shape.slice(0, axis))
    const offsets = new Int32Array(outer * indices.length * inner)
    let k = 0
    for (let o = 0; o < outer; o++) {
      for (const index of indices) {
        for (let i = 0, from = (o * length + index) * inner; i < inner; i++) offsets[k++] = from + i
      }
    }
    return gather(x!, shape, offsets)
  },
}

/**
 * take with indices that are not known yet: an operand beside x, where the function is compiled.
 */
export const takeAtOp: KnownOp<Omit<Taking, 'indices'>> = {
  name: 'takeAt',
  form: 'whole',
  rounds: 'never',
  kernel: ([x, indices], attributes, out) =>
    takeOp.kernel(
      [x!],
      {
        ...attributes,
        indices: fromFront((indices as Tensor<'int32' | 'uint32'>).data, x!.shape[attributes.axis]!),
      },
      out,
    ),
}

/**
 * The elements or rows at the given positions, as NumPy's take, tfjs's gather and torch's index_select. Positions of their own
 * for every lane, torch's gather, are `takeAlongAxis`.
 *
 * Shape     x with `axis` replaced by the shape of the indices; without `axis` x counts as flat.
 * Special   negative indices count from the end.
 * Throws    RangeError for an index outside the axis.
 *
 * @example take(tensor([10, 20, 30]), [2, -3]).toNested() // [30,10]
 */
export function take<D extends DType>(
  x: Tensor<D>,
  indices: Tensor<'int32' | 'uint32'> | readonly number[],
  options?: { axis?: number },
): Tensor<D> {
  checkCall('take', x, options, { axis: 'optional' }, axisFirst)
  if (!(indices instanceof Tensor || Array.isArray(indices))) {
    throw new TypeError(`take: indices are not a list or a tensor [${shown(indices)}]`)
  }
  const axis = options?.axis
  if (axis === undefined) return take(reshape(x, [x.size]), indices, { axis: 0 })
  const along = normalizeAxis('take', axis, x.rank)
  if (indices instanceof Tensor && indices.dtype !== 'int32' && indices.dtype !== 'uint32') {
    throw new TypeError(`take: indices are not int32 or uint32 [${String(indices.dtype)}]`)
  }
  const shape = indices instanceof Tensor ? indices.shape : [indices.length]
  const result = [...x.shape.slice(0, along), ...shape, ...x.shape.slice(along + 1)]
  if (indices instanceof Tensor && isSealed(indices)) {
    return apply(takeAtOp, [x, indices], { axis: along, shape: result }) as Tensor<D>
  }
  const whole = fromFront(indices instanceof Tensor ? indices.data : indices, x.shape[along]!)
  return apply(takeOp, [x], { indices: whole, axis: along, shape: result }) as Tensor<D>
}

/** Indices into an axis, negative ones counted from its end; a RangeError where one is outside. */
function fromFront(list: Int32Array | Uint32Array | readonly number[], length: number): Int32Array {
  return Int32Array.from(list, (index) => {
    const front = index < 0 ? index + length : index
    if (!Number.isInteger(index) || front < 0 || front >= length) {
      throw new RangeError(`take: index outside an axis of ${length} [${index}]`)
    }
    return front
  })
}
