import { add, maximum, sub } from '../elementwise/arithmetic.js'
import { isNaN as isNotANumber } from '../elementwise/comparison.js'
import { abs, exp, log1p, neg } from '../elementwise/unary.js'
import { where } from '../elementwise/where.js'
import type { KnownOp, Tensor } from '../storage/tensor.js'
import { untraced } from '../storage/untraced.js'

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
