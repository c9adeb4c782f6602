import { checkOptions, noOptions } from '../options/index.js'
import {
  abs,
  add,
  apply,
  cast,
  checkTensor,
  type DType,
  exp,
  full,
  isNaN as isNotANumber,
  type KnownOp,
  log1p,
  maximum,
  neg,
  sub,
  Tensor,
  untraced,
  where,
} from '../tensor/index.js'
import type { InternalOptions } from './internal.js'
import { checkFloats } from './wide.js'

/**
 * The record of logAddExp, one operation to whoever differentiates: its rule is g exp(a - result) for a, g exp(b - result)
 * for b, which stays finite where the parts' own rules would meet at a kink.
 */
export const logAddExpOp: KnownOp = {
  name: 'logAddExp',
  form: 'elementwise',
  // To whoever walks a trace: what its parts round is inside.
  rounds: 'once',
  kernel: (inputs) => partsOf(inputs.map(untraced)),
  parts: partsOf,
}

function partsOf(inputs: readonly Tensor[]): Tensor {
  const [a, b] = inputs as [Tensor, Tensor]
  const apart = sub(a, b)
  const sum = add(maximum(a, b), log1p(exp(neg(abs(apart)))))
  return where(isNotANumber(apart), add(a, b), sum)
}

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
