import { checkOptions, noOptions } from '../base/options/index.js'
import { cast, type DType, type FloatDType, matmul, type Tensor } from '../tensors/tensor/index.js'
import { dtypeFirst, type ResultOptions, resultNames } from './resultOptions.js'
import { wide } from './wide.js'

/**
 * Matrix product summed in float32, rounded once [stable_matmul_accum]: what a matrix unit does.
 *
 * Shape     a [..., m, k], b [..., k, n] -> [..., m, n]; vectors as in `matmul`. k = 0 gives +0.
 * Dtype     both operands alike, a float; the result has `dtype`, default theirs; 'float32' keeps the sums as they are.
 * Rounding  products of formats of at most 16 bits exact; sums in float32 (float64 for float64), k ascending; once out.
 *           With another `dtype` the operands are cast to float32 first: the same, unless a product leaves its range.
 * Special   0 times Inf and Inf - Inf are NaN; float32 overflow is Inf.
 * Error     half an ulp of `dtype` + k 2^-24 sum |a_i b_i|: `errorBound('dot', ...)`.
 *
 * @example stableMatmul(tensor([256, 1, 1], { dtype: 'bfloat16' }), tensor([1, 1, 1], { dtype: 'bfloat16' })).item() // 258
 */
export function stableMatmul<D extends DType, R extends FloatDType | D = D, E extends D = D>(
  a: Tensor<D>,
  b: Tensor<E>,
  options: ResultOptions<R> = noOptions,
): Tensor<R> {
  checkOptions('stableMatmul', options, resultNames, dtypeFirst)
  const accumulate = wide('stableMatmul', a)
  const dtype = options.dtype ?? (a.dtype as DType as R)
  if (dtype === (a.dtype as DType)) return matmul(a, b, { accumulate }) as Tensor as Tensor<R>
  if (a.dtype !== b.dtype) {
    throw new TypeError(`stableMatmul: dtypes differ, cast one of them [${a.dtype} and ${b.dtype}]`)
  }
  return cast(matmul(cast(a, accumulate), cast(b, accumulate)), dtype)
}

/**
 * Matrix product that rounds every product and every sum to the operands' own dtype.
 *
 * Shape     as `stableMatmul`. Dtype both alike, a float. Special as `stableMatmul`.
 * Rounding  k products and k - 1 sums, each, k ascending.
 * Error     about k u sum |a_i b_i|, u = 2^-8 for bfloat16: `errorBound('dot', { accumulate: dtype, ... })`.
 *
 * @example naiveMatmul(tensor([256, 1, 1], { dtype: 'bfloat16' }), tensor([1, 1, 1], { dtype: 'bfloat16' })).item() // 256
 */
export function naiveMatmul<D extends DType, E extends D = D>(a: Tensor<D>, b: Tensor<E>): Tensor<E> {
  wide('naiveMatmul', a)
  return matmul(a, b, { accumulate: a.dtype as FloatDType })
}
