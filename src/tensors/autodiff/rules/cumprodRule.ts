import {
  add,
  cast,
  concat,
  cumprod,
  type FloatDType,
  mul,
  ones,
  type Range,
  slice,
  type Tensor,
} from '../../tensor/index.js'
import type { GradientRule } from './gradientRule.js'

/** The attributes of cumprod. */
export interface Along {
  readonly axis: number
  readonly how: { readonly accumulate: FloatDType }
}

/**
 * The gradient of the running products y_k = x_0 ... x_k without a division, so that zeros do no harm:
 * P_i S_i with P_i = x_0 ... x_{i-1} and S_i = g_i + x_{i+1} S_{i+1}, from the last to the first.
 * Rounding  every operation to the forward's accumulator, once to the dtype of x at the end.
 */
export const cumprodRule: GradientRule<Along> = ({ g, inputs: [x], attributes: { axis, how } }) => {
  const n = x!.shape[axis]!
  const factors = cast(x!, how.accumulate)
  const at = placesAlong(axis)
  const wide = cast(g, how.accumulate)
  let after = at(wide, n - 1)
  const tails = [after]
  for (let i = n - 2; i >= 0; i--) {
    after = add(at(wide, i), mul(at(factors, i + 1), after))
    tails.push(after)
  }
  const one = ones(after.shape, { dtype: factors.dtype })
  const products = cumprod(slice(factors, along(factors, axis, [0, n - 1])), { axis })
  const before = concat([one, products], { axis })
  return [cast(mul(before, concat(tails.reverse(), { axis })), x!.dtype)]
}

/** The elements of a tensor at a place along an axis, which stays with length 1. */
export function placesAlong(axis: number): (t: Tensor, i: number) => Tensor {
  return (t, i) => slice(t, along(t, axis, [i, i + 1]))
}

function along({ shape }: Tensor, axis: number, range: Range): Range[] {
  return shape.map((_, i) => (i === axis ? range : null))
}
