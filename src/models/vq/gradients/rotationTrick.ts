import { stopGradient } from '../../../tensors/autodiff/index.js'
import {
  add,
  div,
  equal,
  expandDims,
  mul,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  where,
} from '../../../tensors/tensor/index.js'
import { checkPair } from './straightThrough.js'

/**
 * x turned and stretched onto its code, by a rotation that counts as constant: the gradient keeps its angle to the code.
 *
 * Shape     [..., d], both alike.
 * Dtype     both alike, any float.
 * Rounding  every operation once; sums along the last axis are sequential. The result is the code up to rounding.
 * Special   u = x / |x|, v = code / |code|, w = (u + v) / |u + v|, s = |code| / |x|: s (x - 2 (x.w) w + 2 (x.u) v). Where x or the code
 *           is 0 there is no angle: the result is s x. Where they point in opposite ways w is 0, and x is turned by its own
 *           axis: s (x + 2 |x| v), the code still.
 * Gradient  s (g - 2 (g.w) w + 2 (g.v) u) to x; none to the code.
 * Throws    TypeError for dtypes that differ, RangeError for shapes.
 * Source    Fifty et al., arXiv 2410.06424
 *
 * @example rotationTrick(tensor([[2, 0]]), tensor([[-1, 0]])).toNested() // [[-1, 0]]
 */
export function rotationTrick<D extends Tensor['dtype']>(x: Tensor<D>, code: Tensor<D>): Tensor<D> {
  checkPair('rotationTrick', x, code)
  if (x.rank === 0) throw new RangeError(`rotationTrick: one number has no direction [${x.dtype}]`)
  const [from, to] = [stopGradient(x), stopGradient(code)]
  const [u, v] = [unit(from), unit(to)]
  const w = unit(add(u, v))
  const lengths = norm(from)
  const s = div(norm(to), where(equal(lengths, 0), 1, lengths) as Tensor<D>)
  const turned = add(sub(x, mul(mul(dot(x, w), 2), w)), mul(mul(dot(x, u), 2), v))
  return mul(s, turned)
}

const dot = <D extends Tensor['dtype']>(a: Tensor<D>, b: Tensor<D>): Tensor<D> =>
  expandDims(sum(mul(a, b), { axis: a.rank - 1 }), -1)

const norm = <D extends Tensor['dtype']>(a: Tensor<D>): Tensor<D> =>
  sqrt(expandDims(sum(square(a), { axis: a.rank - 1 }), -1))

function unit<D extends Tensor['dtype']>(a: Tensor<D>): Tensor<D> {
  const length = norm(a)
  return div(a, where(equal(length, 0), 1, length) as Tensor<D>)
}
