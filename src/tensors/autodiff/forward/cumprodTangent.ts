import { add, cast, concat, mul } from '../../tensor/index.js'
import { type Along, placesAlong } from '../rules/cumprodRule.js'
import type { TangentRule } from './tangentRule.js'

/**
 * The tangent of the running products p_k = x_0 ... x_k without a division, so that zeros do no harm: t_k x_0 ... x_{k-1} plus
 * x_k times the tangent before, from the first to the last.
 * Rounding  every operation to the forward's accumulator, once to the dtype of x at the end.
 */
export const cumprodTangent: TangentRule<Along> = ({
  tangents: [t],
  inputs: [x],
  attributes: { axis, how },
}) => {
  const n = x!.shape[axis]!
  const at = placesAlong(axis)
  const [factors, changes] = [cast(x!, how.accumulate), cast(t!, how.accumulate)]
  let product = at(factors, 0)
  let change = at(changes, 0)
  const all = [change]
  for (let i = 1; i < n; i++) {
    change = add(mul(change, at(factors, i)), mul(product, at(changes, i)))
    product = mul(product, at(factors, i))
    all.push(change)
  }
  return cast(concat(all, { axis }), x!.dtype)
}
