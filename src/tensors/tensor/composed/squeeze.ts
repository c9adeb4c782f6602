import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { reshape } from '../layout/layout.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import { normalizeAxes } from '../storage/shape.js'
import type { Tensor } from '../storage/tensor.js'

/** Which axes squeeze takes away. */
export interface SqueezeOptions {
  /** One or several, of length 1. Default: all of length 1. */
  readonly axis?: number | readonly number[]
}

const names: OptionTable<SqueezeOptions> = { axis: 'optional' }

/**
 * x without its axes of length 1.
 *
 * @example squeeze(tensor([[[1], [2]]])).toNested() // [1,2]
 * @example squeeze(tensor([[[1], [2]]]), { axis: 0 }).toNested() // [[1],[2]]
 */
export function squeeze<D extends DType>(x: Tensor<D>, options: SqueezeOptions = noOptions): Tensor<D> {
  checkTensor('squeeze', x)
  checkOptions('squeeze', options, names, { positional: 'axis' })
  const { axis } = options
  const ones = x.shape.flatMap((length, i) => (length === 1 ? [i] : []))
  const gone = axis === undefined ? ones : normalizeAxes('squeeze', axis, x.rank)
  const long = gone.find((i) => x.shape[i] !== 1)
  if (long !== undefined) {
    throw new RangeError(`squeeze: axis ${long} has not length 1 [${x.shape.join(', ')}]`)
  }
  return reshape(
    x,
    x.shape.filter((_, i) => !gone.includes(i)),
  )
}

/**
 * x with new axes of length 1, at these places of the result.
 *
 * @example expandDims(tensor([1, 2]), 0).shape // [1,2]
 * @example expandDims(tensor([1, 2]), [0, -1]).shape // [1,2,1]
 */
export function expandDims<D extends DType>(x: Tensor<D>, axis: number | readonly number[]): Tensor<D> {
  checkTensor('expandDims', x)
  if (axis === undefined) throw new RangeError('expandDims: axis is missing [undefined]')
  const count = typeof axis === 'number' ? 1 : axis.length
  const places = normalizeAxes('expandDims', axis, x.rank + count)
  const shape = [...x.shape]
  for (const place of places) shape.splice(place, 0, 1)
  return reshape(x, shape)
}
