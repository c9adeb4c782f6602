import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { add, mul } from '../elementwise/arithmetic.js'
import { cast } from '../elementwise/cast.js'
import { greaterEqual, less, logicalAnd } from '../elementwise/comparison.js'
import { where } from '../elementwise/where.js'
import { reshape } from '../layout/layout.js'
import { take } from '../layout/take.js'
import { checkTensor } from '../storage/checkCall.js'
import { tensor } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import { isSealed } from '../storage/seal.js'
import { normalizeAxis, sizeOf, stridesOf } from '../storage/shape.js'
import type { Tensor } from '../storage/tensor.js'

/** Along which axis indices count. */
export interface AlongOptions {
  /** Default: the last. */
  readonly axis?: number
}

const names: OptionTable<AlongOptions> = { axis: 'optional' }

/**
 * For every place of the indices the element of x that lies there but along `axis`, where the index says: what `argsort` and
 * `argmax` with keepDims are read with, as NumPy's take_along_axis.
 *
 * Shape     that of the indices, which may differ from x along the axis only.
 * Special   negative indices count from the end.
 * Throws    RangeError for an index outside the axis.
 *
 * @example takeAlongAxis(tensor([[10, 20], [30, 40]]), tensor([[1], [0]], { dtype: 'int32' })).toNested() // [[20],[30]]
 */
export function takeAlongAxis<D extends DType>(
  x: Tensor<D>,
  indices: Tensor<'int32'> | Tensor<'uint32'>,
  options: AlongOptions = noOptions,
): Tensor<D> {
  checkTensor('takeAlongAxis', x)
  checkTensor('takeAlongAxis', indices)
  checkOptions('takeAlongAxis', options, names, { positional: 'axis' })
  const axis = normalizeAxis('takeAlongAxis', options.axis ?? -1, x.rank)
  const given: Tensor = indices
  if (given.dtype !== 'int32' && given.dtype !== 'uint32') {
    throw new TypeError(`takeAlongAxis: indices are not int32 or uint32 [${given.dtype}]`)
  }
  const { shape } = given
  if (shape.length !== x.rank || shape.some((length, i) => i !== axis && length !== x.shape[i])) {
    throw new RangeError(
      `takeAlongAxis: shapes differ off axis ${axis} [${x.shape.join(', ')}] and [${shape.join(', ')}]`,
    )
  }
  const length = x.shape[axis]!
  const step = stridesOf(x.shape)[axis]!
  const width = shape[axis]!
  // Where the lane of an index begins in x, which is read as flat.
  const lane = (i: number): number => Math.floor(i / (width * step)) * length * step + (i % step)
  const flat = reshape(x, [x.size])
  if (isSealed(indices)) return take(flat, placesOf(indices, lane, length, step, x.size))
  const places = Int32Array.from({ length: sizeOf(shape) }, (_, i) => {
    const index = given.data[i]! as number
    const front = index < 0 ? index + length : index
    if (front < 0 || front >= length) {
      throw new RangeError(`takeAlongAxis: index outside an axis of ${length} [${index}]`)
    }
    return lane(i) + front * step
  })
  return take(flat, tensor(places, { shape, dtype: 'int32' }))
}

/** The same places of indices that are not known yet: one outside the axis becomes one outside x, which `take` refuses. */
function placesOf(
  indices: Tensor<'int32'> | Tensor<'uint32'>,
  lane: (i: number) => number,
  length: number,
  step: number,
  size: number,
): Tensor<'int32'> {
  const lanes = tensor(
    Int32Array.from({ length: indices.size }, (_, i) => lane(i)),
    {
      shape: indices.shape,
      dtype: 'int32',
    },
  )
  const isInside: Tensor = indices.dtype === 'uint32' ? less(indices, length) : isBetween(indices, length)
  const signed = cast(indices, 'int32')
  const front = where(less(signed, 0), add(signed, length), signed)
  return where(isInside, add(lanes, mul(front, step)), size)
}

function isBetween(indices: Tensor, length: number): Tensor {
  return logicalAnd(greaterEqual(indices, -length), less(indices, length))
}
