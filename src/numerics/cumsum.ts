import { checkOptions, noOptions, type OptionHints, type OptionTable } from '../base/options/index.js'
import { cast, cumsum, type DType, type FloatDType, type Tensor } from '../tensors/tensor/index.js'
import { checkFloats, wide } from './wide.js'

/** Options of the running sums. */
export interface CumsumOptions<R extends DType = DType> {
  /** Default: the last. */
  readonly axis?: number
  /** Of the result. Default: that of x. */
  readonly dtype?: R
}

const cumsumNames: OptionTable<CumsumOptions> = { axis: 'optional', dtype: 'optional' }
const axisNames: OptionTable<Pick<CumsumOptions, 'axis'>> = { axis: 'optional' }
const axisFirst: OptionHints = { positional: 'axis' }

/**
 * Running sums in float32, each rounded once on the way out [stable_cumsum, stable_cumsum_cast].
 *
 * Shape     that of x. Dtype a float; the result has `dtype`, default that of x; 'float32' keeps the sums as they are.
 * Rounding  sequential float32 additions from +0 (float64 for float64), then once to `dtype`.
 * Special   Inf + -Inf is NaN from there on.
 * Error     half an ulp of `dtype` + (n - 1) 2^-24 sum |x|, for bfloat16 and any n.
 * Cost      one addition an element.
 * Source    `errorBound('cumsum', { accumulate: 'float32', ... })`.
 *
 * @example stableCumsum(tensor([255, 1, 1, 1], { dtype: 'bfloat16' })).toNested() // [255,256,256,258]
 * @example stableCumsum(tensor([256, 1], { dtype: 'bfloat16' }), { dtype: 'float32' }).toNested() // [256,257]
 */
export function stableCumsum<D extends DType, R extends FloatDType | D = D>(
  x: Tensor<D>,
  options: CumsumOptions<R> = noOptions,
): Tensor<R> {
  checkOptions('stableCumsum', options, cumsumNames, axisFirst)
  checkFloats('stableCumsum', x)
  const { axis = -1 } = options
  const dtype = options.dtype ?? (x.dtype as DType as R)
  const accumulate = wide('stableCumsum', x)
  if (dtype === (x.dtype as DType)) return cumsum(x, { axis, accumulate }) as Tensor as Tensor<R>
  return cast(cumsum(cast(x, accumulate), { axis }), dtype)
}

/**
 * Running sums, every addition rounded to the dtype of x, left to right: in bfloat16 a sum of ones stops at 256.
 *
 * Shape     that of x. Dtype that of x, a float.
 * Rounding  every addition. Special as `stableCumsum`.
 * Error     (n - 1) u sum |x|, u = 2^-8 for bfloat16: `errorBound('cumsum', ...)`.
 *
 * @example naiveCumsum(tensor([255, 1, 1, 1], { dtype: 'bfloat16' })).toNested() // [255,256,256,256]
 */
export function naiveCumsum<D extends DType>(
  x: Tensor<D>,
  options: Pick<CumsumOptions, 'axis'> = noOptions,
): Tensor<D> {
  checkOptions('naiveCumsum', options, axisNames, axisFirst)
  const { axis = -1 } = options
  wide('naiveCumsum', x)
  return cumsum(x, { axis })
}
