import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { reshape, transpose } from '../layout/layout.js'
import { slice } from '../layout/slice.js'
import { reducedShape } from '../reductions/lanes.js'
import { cumprod } from '../reductions/scan.js'
import { type AxisOptions, keepsDims } from '../storage/axisOptions.js'
import { checkTensor } from '../storage/checkCall.js'
import { ones } from '../storage/create.js'
import { type DType, type FloatDType, isFloat, wideDType } from '../storage/dtype.js'
import { normalizeAxes, sizeOf } from '../storage/shape.js'
import type { Tensor } from '../storage/tensor.js'

/** Options of prod. */
export interface ProdOptions extends AxisOptions {
  /** The dtype that every product is rounded to. Default: float32, float64 of float64; integers take none. */
  readonly accumulate?: FloatDType
}

const names: OptionTable<ProdOptions> = { axis: 'optional', keepDims: 'optional', accumulate: 'optional' }

/**
 * Product over axes (all by default): the last of `cumprod`.
 *
 * Shape     as `sum`. No elements give 1.
 * Dtype     that of x; integers wrap.
 * Rounding  every product to `accumulate` (default float32, as jnp.prod), left to right from 1; then once to the dtype of x.
 * Cost      holds the running products, as many as x has elements.
 *
 * @example prod(tensor([[1, 2], [3, 4]]), { axis: 1 }).toNested() // [2,12]
 */
export function prod<D extends DType>(x: Tensor<D>, options: ProdOptions = noOptions): Tensor<D> {
  checkTensor('prod', x)
  checkOptions('prod', options, names, { positional: 'axis' })
  const { axis, accumulate = isFloat(x.dtype) ? wideDType(x.dtype) : undefined } = options
  const keepDims = keepsDims('prod', options)
  const axes = normalizeAxes('prod', axis, x.rank)
  const kept = x.shape.map((_, i) => i).filter((i) => !axes.includes(i))
  const length = sizeOf(axes.map((i) => x.shape[i]!))
  const shape = reducedShape(x.shape, axes, keepDims)
  if (length === 0) return ones(shape, { dtype: x.dtype })
  const lanes = reshape(transpose(x, [...kept, ...axes]), [sizeOf(shape), length])
  return reshape(
    slice(cumprod(lanes, { ...(accumulate && { accumulate }), axis: 1 }), [null, length - 1]),
    shape,
  )
}
