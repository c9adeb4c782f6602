import { reals, type UnaryName, unary } from '../../numbers/functions/index.js'
import {
  type Big,
  big,
  bitLength,
  exponentOf,
  magnitude,
  minus,
  negative,
  order,
  over,
  plus,
  type Real,
  realOf,
  root,
  times,
  toFloat64,
} from './real.js'

const places = 512
const one = realOf(1)
const two = realOf(2)

/** A real in units of 2^-512, cut. */
function toFixed({ m, e }: Big): bigint {
  const shift = e + places
  return shift >= 0 ? m << BigInt(shift) : m >> BigInt(-shift)
}

function fixedPoint(name: UnaryName, x: Big): Real {
  return big(reals[name]!(toFixed(x)), -places)
}

const ln2: () => Big = once(() => fixedPoint('log', two as Big) as Big)
const ln10: () => Big = once(() => fixedPoint('log', realOf(10) as Big) as Big)

function once<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= compute()
    return value
  }
}

/** The nearest integer to a real of moderate size. */
function nearestInteger(x: Real): number {
  return Math.round(toFloat64(x))
}

/** Below 2^tiny in size three terms of a series have more bits than fixed point. */
const tiny = -180

/** e^x: the multiple of ln 2 taken out first, so that the result keeps its bits at any size. */
export function expReal(x: Real): Real {
  if (typeof x === 'number') return x === 0 ? one : Math.exp(x)
  if (exponentOf(x) > 40) return x.m < 0n ? 0 : Number.POSITIVE_INFINITY
  if (exponentOf(x) < tiny) return plus(plus(one, x), over(times(x, x), two))
  const n = nearestInteger(over(x, ln2()))
  const rest = minus(x, times(realOf(n), ln2()))
  const near = typeof rest === 'number' ? one : fixedPoint('exp', rest)
  return typeof near === 'number' ? near : { m: near.m, e: near.e + n }
}

/** The natural logarithm; the power of two is taken out unless x is near 1, where that would cancel. */
export function logReal(x: Real): Real {
  if (typeof x === 'number') return Math.log(x)
  if (x.m < 0n) return Number.NaN
  const apart = minus(x, one)
  if (apart === 0) return 0
  if (typeof apart !== 'number' && exponentOf(apart) < -60) return log1pReal(apart)
  if (order(magnitude(apart), realOf(0.25)) < 0) return fixedPoint('log', x)
  const n = exponentOf(x)
  return plus(fixedPoint('log', { m: x.m, e: x.e - n }), times(realOf(n), ln2()))
}

function log1pReal(x: Real): Real {
  if (typeof x === 'number') return x === 0 ? x : Math.log1p(x)
  if (exponentOf(x) >= -60) return logReal(plus(one, x))
  return alternating(x, x, 6)
}

/** x - x q / 2 + x q^2 / 3 ...: the logarithm's series. */
function alternating(x: Real, q: Real, terms: number): Real {
  let sum: Real = 0
  for (let k = terms; k > 0; k--) sum = minus(over(one, realOf(k)), times(q, sum))
  return times(x, sum)
}

/** Functions like x near 0, where fixed point has too few bits for them, with the coefficient of x^3. */
const likeX: Readonly<Partial<Record<UnaryName, number>>> = {
  sin: -1 / 6,
  tan: 1 / 3,
  asin: 1 / 6,
  atan: -1 / 3,
  sinh: 1 / 6,
  tanh: -1 / 3,
  asinh: -1 / 6,
  atanh: 1 / 3,
}

/** 1 / (1 + e^-x). */
function sigmoidReal(x: Real): Real {
  return over(one, plus(one, expReal(negative(x))))
}

const own: Readonly<Partial<Record<UnaryName, (x: Big) => Real>>> = {
  exp: expReal,
  exp2: (x) => expReal(times(x, ln2())),
  expm1: (x) =>
    exponentOf(x) < tiny
      ? plus(x, over(times(x, x), two))
      : exponentOf(x) < 0
        ? fixedPoint('expm1', x)
        : minus(expReal(x), one),
  log: logReal,
  log2: (x) => over(logReal(x), ln2()),
  log10: (x) => over(logReal(x), ln10()),
  log1p: log1pReal,
  sqrt: root,
  rsqrt: (x) => over(one, root(x)),
  cbrt: (x) => {
    const size = expReal(over(logReal(magnitude(x)), realOf(3)))
    return x.m < 0n ? negative(size) : size
  },
  reciprocal: (x) => over(one, x),
  square: (x) => times(x, x),
  sinh: (x) =>
    exponentOf(x) < 0 ? fixedPoint('sinh', x) : over(minus(expReal(x), expReal(negative(x))), two),
  cosh: (x) => over(plus(expReal(x), expReal(negative(x))), two),
  tanh: (x) => {
    if (exponentOf(x) < 0) return fixedPoint('tanh', x)
    return minus(one, over(two, plus(expReal(times(two, x)), one)))
  },
  sigmoid: sigmoidReal,
  softplus: (x) => {
    const tail = log1pReal(expReal(negative(magnitude(x))))
    return x.m < 0n ? tail : plus(x, tail)
  },
  silu: (x) => times(x, sigmoidReal(x)),
}

/**
 * A unary function of a real number, good to a relative 2^-200 in the range of float32. Where nothing better is known
 * (a result below 2^-300 of a function in fixed point) the float64 value stands in.
 */
export function unaryReal(name: UnaryName, x: Real): Real {
  if (typeof x === 'number') return realOf(unary[name](x))
  const cubic = likeX[name]
  if (name === 'cos' && exponentOf(x) < tiny) return minus(one, over(times(x, x), two))
  if (cubic !== undefined && exponentOf(x) < -120) return plus(x, times(times(x, times(x, x)), realOf(cubic)))
  const estimate = unary[name](toFloat64(x))
  if (Number.isNaN(estimate)) return Number.NaN
  const rule = own[name]
  if (rule) return rule(x)
  if (!reals[name] || exponentOf(x) > 130 || Math.abs(estimate) < 2 ** -300) return realOf(estimate)
  if (!Number.isFinite(estimate)) return estimate
  return fixedPoint(name, x)
}

/** a to the power b: by multiplication for small whole exponents, else e^(b log a). */
export function powReal(a: Real, b: Real): Real {
  const exponent = toFloat64(b)
  if (Number.isInteger(exponent) && Math.abs(exponent) <= 1024) {
    let result: Real = one
    for (let base = a, n = Math.abs(exponent); n > 0; n = Math.floor(n / 2), base = times(base, base)) {
      if (n % 2 === 1) result = times(result, base)
    }
    return exponent < 0 ? over(one, result) : result
  }
  const base = toFloat64(a)
  if (typeof a === 'number' || typeof b === 'number') return realOf(base === 1 ? 1 : base ** exponent)
  if (order(a, one) === 0) return one
  if (a.m > 0n) return expReal(times(b, logReal(a)))
  if (!Number.isInteger(exponent)) return Number.NaN
  const size = expReal(times(b, logReal(negative(a))))
  return Math.abs(exponent) % 2 === 1 && bitLength(b.m) < 54 ? negative(size) : size
}
