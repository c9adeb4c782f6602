import { fmaFloat32 } from '../../numbers/functions/index.js'
import { type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import { type Elementwise, flushed } from '../arithmetic/arithmetic.js'
import { elementOf } from '../arithmetic/recorded.js'

interface End {
  readonly stepsize: Tensor
  readonly value: Tensor
}

/**
 * Where the cubic through three points, with the slope of the first, has its minimum; NaN where it has none.
 *
 * Rounding  every operation to the dtype of the lengths; 'xla-cpu': the two inner products by fused multiply-adds.
 */
export function cubicMinimum(
  a: Elementwise,
  low: End & { readonly slope: Tensor },
  high: End,
  third: End,
): Tensor {
  const db = a.sub(high.stepsize, low.stepsize)
  const dc = a.sub(third.stepsize, low.stepsize)
  const both = a.mul(db, dc)
  const scale = a.mul(a.mul(both, both), a.sub(db, dc))
  const [db2, dc2] = [a.mul(db, db), a.mul(dc, dc)]
  const left = a.sub(a.sub(high.value, low.value), a.mul(low.slope, db))
  const right = a.sub(a.sub(third.value, low.value), a.mul(low.slope, dc))
  const inverse = (x: Tensor): Tensor => overScale(a, x, scale)
  const cubic = inverse(dot(a, [dc2, a.mul(-1, db2)], [left, right]))
  const square = inverse(dot(a, [a.mul(-1, a.mul(dc, dc2)), a.mul(db, db2)], [left, right]))
  const three = a.mul(3, cubic)
  const radical = a.sub(a.mul(square, square), a.mul(three, low.slope))
  const up = a.add(a.mul(-1, square), a.sqrt(radical))
  return a.add(low.stepsize, a.div(up, three))
}

/** Where the parabola through two points, with the slope of the first, has its minimum. */
export function quadraticMinimum(a: Elementwise, low: End & { readonly slope: Tensor }, high: End): Tensor {
  const db = a.sub(high.stepsize, low.stepsize)
  const bend = a.div(a.sub(a.sub(high.value, low.value), a.mul(low.slope, db)), a.mul(db, db))
  return a.sub(low.stepsize, a.div(low.slope, a.mul(2, bend)))
}

/** optax divides an array of two: in 'xla-cpu' a multiplication by the reciprocal. */
function overScale(a: Elementwise, x: Tensor, scale: Tensor): Tensor {
  return a.name === 'ieee' || x.dtype === 'float64' ? a.div(x, scale) : a.mul(x, a.div(1, scale))
}

function dot(
  a: Elementwise,
  [x0, x1]: readonly [Tensor, Tensor],
  [y0, y1]: readonly [Tensor, Tensor],
): Tensor {
  if (a.name === 'ieee' || x0.dtype === 'float64') return a.add(a.mul(x0, y0), a.mul(x1, y1))
  const fused = fmaFloat32(flushed(elementOf(x1)), flushed(elementOf(y1)), elementOf(a.mul(x0, y0)))
  return full([], flushed(fused), { dtype: x0.dtype as FloatDType })
}
