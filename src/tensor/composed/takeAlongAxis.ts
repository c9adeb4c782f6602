import { checkOptions, noOptions, type OptionTable } from '../../options/index.js'
import { reshape } from '../layout/layout.js'
import { take } from '../layout/take.js'
import { apply } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import { tensor } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import { gather } from '../storage/move.js'
import { isSealed } from '../storage/seal.js'
import { normalizeAxis, type Shape, sizeOf, stridesOf } from '../storage/shape.js'
import type { KnownOp, Tensor } from '../storage/tensor.js'

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
  if (isSealed(given)) return apply(takeAlongAtOp, [x, given], { axis }) as Tensor<D>
  const places = placesAlong(x.shape, given, axis)
  return take(reshape(x, [x.size]), tensor(places, { shape, dtype: 'int32' }))
}

/** The flat places in a tensor of `shape` that indices name along an axis. */
function placesAlong(shape: Shape, indices: Tensor, axis: number): Int32Array {
  const length = shape[axis]!
  const step = stridesOf(shape)[axis]!
  const width = indices.shape[axis]!
  return Int32Array.from({ length: sizeOf(indices.shape) }, (_, i) => {
    const index = indices.data[i]! as number
    const front = index < 0 ? index + length : index
    if (front < 0 || front >= length) {
      throw new RangeError(`takeAlongAxis: index outside an axis of ${length} [${index}]`)
    }
    const outer = Math.floor(i / (width * step))
    return (outer * length + front) * step + (i % step)
  })
}

/** takeAlongAxis with its indices as an operand: where they are recorded, so that their values are not known yet. */
export const takeAlongAtOp: KnownOp<{ readonly axis: number }> = {
  name: 'takeAlongAt',
  form: 'whole',
  rounds: 'never',
  kernel: ([x, indices], { axis }) => gather(x!, indices!.shape, placesAlong(x!.shape, indices!, axis)),
}
