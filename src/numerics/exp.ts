import { checkOptions, noOptions } from '../base/options/index.js'
import { cast, type DType, exp, type FloatDType, type Tensor } from '../tensors/tensor/index.js'
import { dtypeFirst, type ResultOptions, resultNames } from './resultOptions.js'
import { checkFloats } from './wide.js'

/**
 * exp of x, rounded once to `dtype` from a wider evaluation [stable_exp].
 *
 * Shape     that of x. Dtype a float; the result has `dtype`, default that of x; 'float32' keeps the digits.
 * Rounding  correctly rounded where x and `dtype` are the same format of at most 16 bits, else once from float64.
 * Special   -Inf gives +0; overflow gives Inf; NaN stays NaN.
 * Error     half an ulp of `dtype`.
 *
 * @example stableExp(tensor([-1], { dtype: 'bfloat16' })).item() // 0.3671875
 * @example stableExp(tensor([-1], { dtype: 'bfloat16' }), { dtype: 'float32' }).item() // 0.3678794503211975
 */
export function stableExp<D extends DType, R extends FloatDType | D = D>(
  x: Tensor<D>,
  options: ResultOptions<R> = noOptions,
): Tensor<R> {
  checkOptions('stableExp', options, resultNames, dtypeFirst)
  checkFloats('stableExp', x)
  const dtype = options.dtype ?? (x.dtype as DType as R)
  if (dtype === (x.dtype as DType)) return exp(x) as Tensor as Tensor<R>
  return cast(exp(cast(x, 'float64')), dtype)
}
