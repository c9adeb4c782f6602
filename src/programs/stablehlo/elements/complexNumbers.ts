import type { Tensor } from '../../../tensors/tensor/index.js'
import * as t from '../../../tensors/tensor/index.js'
import { Complex } from '../values/value.js'

// Arithmetic of complex numbers as pairs of real tensors, by the textbook formulas: each real operation rounds once.

/** A real tensor as complex numbers. */
export function fromReal(x: Tensor): Complex {
  return new Complex(x, t.zeros(x.shape, { dtype: x.dtype }))
}

export function add(a: Complex, b: Complex): Complex {
  return new Complex(t.add(a.re, b.re), t.add(a.im, b.im))
}

export function sub(a: Complex, b: Complex): Complex {
  return new Complex(t.sub(a.re, b.re), t.sub(a.im, b.im))
}

export function mul(a: Complex, b: Complex): Complex {
  return new Complex(t.sub(t.mul(a.re, b.re), t.mul(a.im, b.im)), t.add(t.mul(a.re, b.im), t.mul(a.im, b.re)))
}

/** A quotient by Smith's method: the larger part of the divisor is divided by first, so that nothing overflows in between. */
export function div(a: Complex, b: Complex): Complex {
  const isWide = t.greaterEqual(t.abs(b.re), t.abs(b.im))
  const large = t.where(isWide, b.re, b.im)
  const small = t.where(isWide, b.im, b.re)
  const ratio = t.div(small, large)
  const scale = t.add(large, t.mul(small, ratio))
  const first = t.where(isWide, a.re, a.im)
  const second = t.where(isWide, a.im, a.re)
  const im = t.div(t.sub(second, t.mul(first, ratio)), scale)
  return new Complex(t.div(t.add(first, t.mul(second, ratio)), scale), t.where(isWide, im, t.neg(im)))
}

export function neg(x: Complex): Complex {
  return new Complex(t.neg(x.re), t.neg(x.im))
}

export function conjugate(x: Complex): Complex {
  return new Complex(x.re, t.neg(x.im))
}

export function abs(x: Complex): Tensor {
  return t.hypot(x.re, x.im)
}

/** A complex number with each part divided by a real one. */
function shrunk(x: Complex, by: Tensor): Complex {
  return new Complex(t.div(x.re, by), t.div(x.im, by))
}

export function sign(x: Complex): Complex {
  const size = abs(x)
  const isZero = t.equal(size, 0)
  const unit = shrunk(x, size)
  return new Complex(t.where(isZero, 0, unit.re), t.where(isZero, 0, unit.im))
}

export function exp(x: Complex): Complex {
  const size = t.exp(x.re)
  const isReal = t.equal(x.im, 0)
  return new Complex(
    t.where(isReal, size, t.mul(size, t.cos(x.im))),
    t.where(isReal, x.im, t.mul(size, t.sin(x.im))),
  )
}

/** exp(x) - 1 without cancellation near 0. */
export function expm1(x: Complex): Complex {
  const size = t.expm1(x.re)
  const half = t.sin(t.mul(x.im, 0.5))
  // e^a cos b - 1 = (e^a - 1) cos b - 2 sin(b / 2)^2
  return new Complex(
    t.sub(t.mul(size, t.cos(x.im)), t.mul(t.mul(half, half), 2)),
    t.mul(t.add(size, 1), t.sin(x.im)),
  )
}

export function log(x: Complex): Complex {
  return new Complex(t.log(abs(x)), t.atan2(x.im, x.re))
}

export function log1p(x: Complex): Complex {
  // log |1 + x| = log1p(re (2 + re) + im^2) / 2
  const square = t.add(t.mul(x.re, t.add(x.re, 2)), t.mul(x.im, x.im))
  const near = t.mul(t.log1p(square), 0.5)
  const far = t.log(t.hypot(t.add(x.re, 1), x.im))
  const isNear = t.less(t.abs(square), 0.5)
  return new Complex(t.where(isNear, near, far), t.atan2(x.im, t.add(x.re, 1)))
}

/** The root with the non-negative real part: half of |x| + |re| first, the other part by division. */
export function sqrt(x: Complex): Complex {
  const size = abs(x)
  const large = t.sqrt(t.mul(t.add(size, t.abs(x.re)), 0.5))
  const other = t.div(x.im, t.mul(large, 2))
  const isRight = t.greaterEqual(x.re, 0)
  const isZero = t.equal(size, 0)
  const up = t.where(t.less(x.im, 0), t.neg(large), large)
  return new Complex(
    t.where(isZero, 0, t.where(isRight, large, t.abs(other))),
    t.where(isZero, x.im, t.where(isRight, other, up)),
  )
}

export function rsqrt(x: Complex): Complex {
  return div(fromReal(t.onesLike(x.re)), sqrt(x))
}

export function pow(a: Complex, b: Complex): Complex {
  const result = exp(mul(b, log(a)))
  const isZero = t.equal(abs(a), 0)
  const isOne = t.equal(abs(b), 0)
  const atZero = t.where(isOne, t.onesLike(a.re), 0)
  return new Complex(t.where(isZero, atZero, result.re), t.where(isZero, 0, result.im))
}

export function sin(x: Complex): Complex {
  return new Complex(t.mul(t.sin(x.re), t.cosh(x.im)), t.mul(t.cos(x.re), t.sinh(x.im)))
}

export function cos(x: Complex): Complex {
  return new Complex(t.mul(t.cos(x.re), t.cosh(x.im)), t.neg(t.mul(t.sin(x.re), t.sinh(x.im))))
}

export function sinh(x: Complex): Complex {
  return new Complex(t.mul(t.sinh(x.re), t.cos(x.im)), t.mul(t.cosh(x.re), t.sin(x.im)))
}

export function cosh(x: Complex): Complex {
  return new Complex(t.mul(t.cosh(x.re), t.cos(x.im)), t.mul(t.sinh(x.re), t.sin(x.im)))
}

/** tanh by tanh and tan of the parts, which neither overflow nor cancel. */
export function tanh(x: Complex): Complex {
  const wide = t.tanh(x.re)
  const turn = t.tan(x.im)
  const scale = t.add(1, t.square(t.mul(wide, turn)) as Tensor)
  return new Complex(
    t.div(t.mul(wide, t.add(t.square(turn), 1)), scale),
    t.div(t.mul(turn, t.sub(1, t.square(wide))), scale),
  )
}

/** tan x = -i tanh(i x) */
export function tan(x: Complex): Complex {
  const turned = tanh(new Complex(t.neg(x.im), x.re))
  return new Complex(turned.im, t.neg(turned.re))
}

export function logistic(x: Complex): Complex {
  const below = exp(neg(x))
  return div(fromReal(t.onesLike(x.re)), new Complex(t.add(below.re, 1), below.im))
}

// The inverse functions by Kahan's formulas, which keep the branch cuts (Branch Cuts for Complex Elementary Functions, 1987).

/** 1 + x, and 1 - x. */
function around1(x: Complex): readonly [above: Complex, below: Complex] {
  return [new Complex(t.add(x.re, 1), x.im), new Complex(t.sub(1, x.re), t.neg(x.im))]
}

export function asin(x: Complex): Complex {
  const [above, below] = around1(x).map(sqrt) as [Complex, Complex]
  return new Complex(t.atan2(x.re, mul(below, above).re), t.asinh(mul(conjugate(below), above).im))
}

export function acos(x: Complex): Complex {
  const [above, below] = around1(x).map(sqrt) as [Complex, Complex]
  return new Complex(t.mul(t.atan2(below.re, above.re), 2), t.asinh(mul(conjugate(above), below).im))
}

export function acosh(x: Complex): Complex {
  const above = sqrt(new Complex(t.add(x.re, 1), x.im))
  const below = sqrt(new Complex(t.sub(x.re, 1), x.im))
  return new Complex(t.asinh(mul(conjugate(below), above).re), t.mul(t.atan2(below.im, above.re), 2))
}

/** asinh x = -i asin(i x) */
export function asinh(x: Complex): Complex {
  const turned = asin(new Complex(t.neg(x.im), x.re))
  return new Complex(turned.im, t.neg(turned.re))
}

export function atanh(x: Complex): Complex {
  const both = sub(log1p(x), log1p(neg(x)))
  return new Complex(t.mul(both.re, 0.5), t.mul(both.im, 0.5))
}

/** atan x = -i atanh(i x) */
export function atan(x: Complex): Complex {
  const turned = atanh(new Complex(t.neg(x.im), x.re))
  return new Complex(turned.im, t.neg(turned.re))
}
