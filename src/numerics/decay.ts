import { checkOptions, noOptions } from '../base/options/index.js'
import {
  cast,
  checkTensor,
  type DType,
  exp,
  type FloatDType,
  full,
  mul,
  type Tensor,
} from '../tensors/tensor/index.js'
import { dtypeFirst, type ResultOptions, resultNames } from './resultOptions.js'
import { wide } from './wide.js'

/**
 * The decay exp(A cs) in float32, rounded once on the way out [stable_decay]. It is only as good as `cs`: hand it sums
 * that were kept in float32, `stableCumsum(dt, { dtype: 'float32' })`.
 *
 * Shape     broadcast of A and cs. Dtype both alike; a number A is rounded to the dtype of cs first.
 *           The result has `dtype`, default that of cs.
 * Rounding  product and exp in float32 (float64 for float64), then once to `dtype`.
 * Special   an exponent of -Inf gives +0, 0 times Inf NaN, overflow Inf.
 * Throws    TypeError for two dtypes.
 * Error     `errorBound('decay', { internal: 'float32', ... })`: relative |A cs| 2^-24 + half an ulp, plus |A| times
 *           the error of cs.
 *
 * @example stableDecay(-0.3, tensor([1, 100], { dtype: 'bfloat16' })).toNested() // [0.7421875,8.659739592076221e-14]
 */
export function stableDecay<D extends DType, R extends FloatDType | D = D>(
  A: Tensor<D> | number,
  cs: Tensor<D>,
  options: ResultOptions<R> = noOptions,
): Tensor<R> {
  checkOptions('stableDecay', options, resultNames, dtypeFirst)
  const inner = wide('stableDecay', cs)
  const rate = rateLike('stableDecay', A, cs)
  const dtype = options.dtype ?? (cs.dtype as DType as R)
  return cast(exp(mul(cast(rate, inner), cast(cs, inner))), dtype)
}

/**
 * The decay exp(A cs) op by op: the product rounded to the dtype of cs, then its exp. The product's half ulp is an
 * absolute error of the exponent, so a relative one of the decay: at A cs = -100 in bfloat16 up to 28 %.
 *
 * Shape     broadcast of A and cs. Dtype both alike; a number A is rounded to it. Special as `stableDecay`.
 * Rounding  the product, then the exp.
 * Error     `errorBound('decay', ...)`.
 *
 * @example naiveDecay(-0.3, tensor([1, 100], { dtype: 'bfloat16' })).toNested() // [0.7421875,8.260059303211165e-14]
 */
export function naiveDecay<D extends DType>(A: Tensor<D> | number, cs: Tensor<D>): Tensor<D> {
  wide('naiveDecay', cs)
  return exp(mul(rateLike('naiveDecay', A, cs), cs))
}

function rateLike<D extends DType>(op: string, A: Tensor<D> | number, cs: Tensor<D>): Tensor<D> {
  if (typeof A === 'number') return full([], A, { dtype: cs.dtype })
  checkTensor(op, A)
  if (A.dtype !== cs.dtype) {
    throw new TypeError(`${op}: dtypes differ, cast one of them [${A.dtype} and ${cs.dtype}]`)
  }
  return A
}
