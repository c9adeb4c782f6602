import {
  cast,
  div,
  equal,
  type FloatDType,
  less,
  sub,
  type Tensor,
  where,
} from '../../tensors/tensor/index.js'

/**
 * x rounded to a dtype: to nearest, or with draws of [0, 1) up as often as x is near the value above. The share of the way is
 * computed in the dtype of x and draws have 23 bits, so the mean is that of x within 2^-23 ulps of the result.
 */
export function roundedBy(x: Tensor, dtype: FloatDType, draws: Tensor | undefined): Tensor {
  if (!draws || dtype === 'float32' || dtype === 'float64') return cast(x, dtype)
  const [below, above] = [cast(x, dtype, { rounding: 'down' }), cast(x, dtype, { rounding: 'up' })]
  const [low, high] = [cast(below, x.dtype), cast(above, x.dtype)]
  const share = div(sub(x, low), sub(high, low))
  // Where x is held, low is high and there is no share: NaN is below nothing.
  const up = less(cast(draws, x.dtype), share)
  return where(up, above, where(equal(low, high), cast(x, dtype), below))
}
