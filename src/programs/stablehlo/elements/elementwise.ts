import {
  abs,
  add,
  atan2,
  cast,
  cbrt,
  ceil,
  cos,
  type DType,
  div,
  equal,
  exp,
  expm1,
  isFinite as finite,
  floor,
  isFloat,
  log,
  log1p,
  logicalAnd,
  logicalNot,
  logicalOr,
  maximum,
  minimum,
  mul,
  neg,
  notEqual,
  pow,
  rem,
  rint,
  rsqrt,
  sigmoid,
  sign,
  sin,
  sqrt,
  sub,
  type Tensor,
  tan,
  tanh,
  truncDiv,
  where,
  zerosLike,
} from '../../../tensors/tensor/index.js'
import { elementsOf } from '../values/elementType.js'
import { type Lowering, single } from '../values/lowering.js'
import type { ElementwiseName, LoweringTable } from '../values/operations.js'
import { Complex, complex, eachPartOf, real, type Value } from '../values/value.js'
import { bitcastConvert } from './bitcast.js'
import { bitwise } from './bits.js'
import { compare } from './compare.js'
import * as c from './complexNumbers.js'
import { reducePrecision } from './reducePrecision.js'
import { roundAway } from './roundAway.js'

/** Functions of one operand: of real numbers, and of complex ones where there are such. */
function unary(f: (x: Tensor) => Tensor, g?: (x: Complex) => Value): Lowering {
  return () => single(([x]) => (g && x instanceof Complex ? g(x) : f(real(x))))
}

/** Functions of two operands; bools have their own: a sum is 'or', a product 'and'. */
function binary(
  f: (a: Tensor, b: Tensor) => Tensor,
  { bool, pair }: { bool?: (a: Tensor, b: Tensor) => Tensor; pair?: (a: Complex, b: Complex) => Value } = {},
): Lowering {
  return () =>
    single(([a, b]) => {
      if (pair && a instanceof Complex) return pair(a, complex(b))
      const x = real(a)
      return bool && x.dtype === 'bool' ? bool(x, real(b)) : f(x, real(b))
    })
}

const either = (a: Tensor, b: Tensor): Tensor => logicalOr(a, b)
const both = (a: Tensor, b: Tensor): Tensor => logicalAnd(a, b)

/** The sign of a number: NaN for NaN, zeros keep theirs; of complex ones x / |x|. */
const signs = unary((x) => sign(x), c.sign)

/** Quotients and remainders: of integers those without a result of their dtype are what the options say. */
function quotient(
  ofFloats: (a: Tensor, b: Tensor) => Tensor,
  ofIntegers: (a: Tensor, b: Tensor) => Tensor,
  pair?: (a: Complex, b: Complex) => Value,
): Lowering {
  return (_, { semantics }) =>
    single(([a, b]) => {
      if (pair && a instanceof Complex) return pair(a, complex(b))
      const [x, y] = [real(a), real(b)]
      if (isFloat(x.dtype)) return ofFloats(x, y)
      const found = ofIntegers(x, y)
      if (semantics.divideByZero === 'xla') return found
      const isZero = equal(y, 0)
      if (x.dtype.startsWith('u')) return where(isZero, zerosLike(found), found)
      // Only the most negative integer is its own negative: dividend and quotient are both that where the quotient overflows.
      const isOver = logicalAnd(equal(y, -1), logicalAnd(equal(found, x), equal(neg(x), x)))
      return where(logicalOr(isZero, isOver), zerosLike(found), found)
    })
}

const convert: Lowering = (op) => {
  const [result] = op.results
  const type = result?.type
  const to = type?.kind === 'tensor' ? elementsOf(type.element) : undefined
  if (!to) throw new TypeError('has a result of no known element type')
  return single(([x]) => {
    if (to.isComplex) {
      if (x instanceof Complex) return new Complex(cast(x.re, to.dtype), cast(x.im, to.dtype))
      return c.fromReal(cast(real(x), to.dtype))
    }
    return converted(x instanceof Complex ? x.re : real(x), to.dtype)
  })
}

/** A number is true unless it is zero. */
function converted(x: Tensor, dtype: DType): Tensor {
  if (x.dtype === dtype) return x
  return dtype === 'bool' ? notEqual(x, 0) : cast(x, dtype)
}

const select: Lowering = () =>
  single(([condition, a, b]) => eachPartOf([a, b], ([x, y]) => where(real(condition), x!, y!)))

const clamp: Lowering = () => single(([low, x, high]) => minimum(maximum(real(x), real(low)), real(high)))

/** Elementwise operations of the specification that numbers of every kind have, by name. */
export const elementwise: LoweringTable<ElementwiseName> = {
  'stablehlo.abs': unary((x) => abs(x), c.abs),
  'stablehlo.add': binary((a, b) => add(a, b), { bool: either, pair: c.add }),
  'stablehlo.and': bitwise.and,
  'stablehlo.atan2': binary((a, b) => atan2(a, b)),
  'stablehlo.bitcast_convert': bitcastConvert,
  'stablehlo.cbrt': unary((x) => cbrt(x)),
  'stablehlo.ceil': unary((x) => ceil(x)),
  'stablehlo.clamp': clamp,
  'stablehlo.compare': compare,
  'stablehlo.complex': () => single(([re, im]) => new Complex(real(re), real(im))),
  'stablehlo.convert': convert,
  'stablehlo.cosine': unary((x) => cos(x), c.cos),
  'stablehlo.count_leading_zeros': bitwise.countLeadingZeros,
  'stablehlo.divide': quotient(div, truncDiv, c.div),
  'stablehlo.exponential': unary((x) => exp(x), c.exp),
  'stablehlo.exponential_minus_one': unary((x) => expm1(x), c.expm1),
  'stablehlo.floor': unary((x) => floor(x)),
  'stablehlo.imag': unary(
    (x) => mul(x, 0),
    (x) => x.im,
  ),
  'stablehlo.is_finite': unary((x) => finite(x)),
  'stablehlo.log': unary((x) => log(x), c.log),
  'stablehlo.log_plus_one': unary((x) => log1p(x), c.log1p),
  'stablehlo.logistic': unary((x) => sigmoid(x), c.logistic),
  'stablehlo.maximum': binary((a, b) => maximum(a, b), { bool: either }),
  'stablehlo.minimum': binary((a, b) => minimum(a, b), { bool: both }),
  'stablehlo.multiply': binary((a, b) => mul(a, b), { bool: both, pair: c.mul }),
  'stablehlo.negate': unary((x) => neg(x), c.neg),
  'stablehlo.not': bitwise.not,
  'stablehlo.or': bitwise.or,
  'stablehlo.popcnt': bitwise.popcnt,
  'stablehlo.power': binary((a, b) => pow(a, b), {
    bool: (a, b) => logicalOr(a, logicalNot(b)),
    pair: c.pow,
  }),
  'stablehlo.real': unary(
    (x) => x,
    (x) => x.re,
  ),
  'stablehlo.reduce_precision': reducePrecision,
  'stablehlo.remainder': quotient(rem, rem),
  'stablehlo.round_nearest_afz': unary(roundAway),
  'stablehlo.round_nearest_even': unary((x) => rint(x)),
  'stablehlo.rsqrt': unary((x) => rsqrt(x), c.rsqrt),
  'stablehlo.select': select,
  'stablehlo.shift_left': bitwise.shiftLeft,
  'stablehlo.shift_right_arithmetic': bitwise.shiftRightArithmetic,
  'stablehlo.shift_right_logical': bitwise.shiftRightLogical,
  'stablehlo.sign': signs,
  'stablehlo.sine': unary((x) => sin(x), c.sin),
  'stablehlo.sqrt': unary((x) => sqrt(x), c.sqrt),
  'stablehlo.subtract': binary((a, b) => sub(a, b), { pair: c.sub }),
  'stablehlo.tan': unary((x) => tan(x), c.tan),
  'stablehlo.tanh': unary((x) => tanh(x), c.tanh),
  'stablehlo.xor': bitwise.xor,
}
