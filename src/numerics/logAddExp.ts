import { checkOptions, noOptions } from '../base/options/index.js'
import { apply, cast, checkTensor, type DType, full, logAddExpOp, Tensor } from '../tensors/tensor/index.js'
import type { InternalOptions } from './internal.js'
import { checkFloats } from './wide.js'

/**
 * log(exp a + exp b) without overflow: max(a, b) + log1p(exp(-|a - b|)). logAddExp(z, 0) is softplus op by op.
 *
 * Shape     broadcast of a and b. Dtype both alike, a float; a number is rounded to it.
 * Rounding  a - b, exp, log1p, the sum, each to `internal` (default the dtype itself); then once to the dtype.
 * Special   equal infinities give themselves, NaN gives NaN.
 * Error     u |r| + 2.1 u: the result, and e^-d d + e^-d + log 2 at most for a - b, exp and log1p.
 * Source    the form of jax.numpy.logaddexp.
 *
 * @example logAddExp(tensor([0, 100]), 0).toNested() // [0.6931471824645996,100]
 */
export function logAddExp<D extends DType, E extends D = D>(
  a: Tensor<D>,
  b: Tensor<E> | number,
  options: Pick<InternalOptions, 'internal'> = noOptions,
): Tensor<D> {
  checkOptions('logAddExp', options, { internal: 'optional' }, { positional: 'internal' })
  const { internal } = options
  checkFloats('logAddExp', a)
  if (typeof b !== 'number') checkTensor('logAddExp', b)
  const other = b instanceof Tensor ? b : full([], b, { dtype: a.dtype })
  if (a.dtype !== other.dtype) {
    throw new TypeError(`logAddExp: dtypes differ, cast one of them [${a.dtype} and ${other.dtype}]`)
  }
  if (internal === undefined) return apply(logAddExpOp, [a, other], undefined) as Tensor<D>
  const inner = [cast(a, internal), cast(other, internal)]
  for (const operand of inner) checkFloats('logAddExp', operand)
  return cast(apply(logAddExpOp, inner, undefined), a.dtype)
}
