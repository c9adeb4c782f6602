import { reals } from '../functions/index.js'
import {
  below,
  beside,
  type Enclosed,
  enclosed,
  exactly,
  fixedOf,
  floorOf,
  isMinusOne,
  isOne,
  unit,
} from './enclosed.js'
import {
  add,
  compare,
  divide,
  dyadic,
  type Exact,
  floorLog2Of,
  infinity,
  magnitude,
  multiply,
  nan,
  negate,
  negativeInfinity,
  one,
  rational,
  zero,
} from './exact.js'

/** Below 2^-small a function is what its series begins with, and a little beside it. */
const small = -100
/** Numbers of this magnitude lie beyond all types: the widest has exponents below 2^15. */
const far = 2 ** 17

const half = dyadic(1n, -1)
const fixed = (name: keyof typeof reals, x: bigint): bigint => reals[name]!(x)
const ln2 = (): bigint => fixed('log', 2n * unit)
const pi = (): bigint => 4n * fixed('atan', unit)
const times = (a: bigint, b: bigint): bigint => (a * b) / unit
const over = (a: bigint, b: bigint): bigint => (a * unit) / b
const both = ({ low, high }: Enclosed, of: (value: Exact) => Exact): Enclosed => ({
  low: of(low),
  high: of(high),
})

/** A function of a finite number that is not zero, made one of all: a value at NaN, the infinities and zero. */
function completed(
  [atInfinity, atNegative, atZero]: readonly [Exact | Enclosed, Exact | Enclosed, Exact],
  of: (x: Exact) => Enclosed,
): (x: Exact) => Enclosed {
  const known = (value: Exact | Enclosed): Enclosed => ('low' in value ? value : exactly(value))
  return (x) => {
    if (x.kind === 'nan') return exactly(nan)
    if (x.kind === 'infinity') return known(x.sign > 0 ? atInfinity : atNegative)
    return x.sign === 0 ? exactly(atZero) : of(x)
  }
}

/** An odd function: x itself for small x, a little beside it on the side that is named. */
const odd = (
  atInfinity: Exact | Enclosed,
  side: 'away' | 'toward',
  positive: (x: Exact) => Enclosed,
): ((x: Exact) => Enclosed) => {
  const mirrored = ({ low, high }: Enclosed): Enclosed => ({ low: negate(high), high: negate(low) })
  const atNegative = 'low' in atInfinity ? mirrored(atInfinity) : negate(atInfinity)
  return completed([atInfinity, atNegative, zero], (x) => {
    if (below(x, small)) return beside(x, side)
    const value = positive(magnitude(x))
    return x.sign < 0 ? mirrored(value) : value
  })
}

/** e^x of a number that is not zero: 2^k e^r with |r| below ln 2, so that no bit is lost at either end. */
function expOf(x: Exact): Enclosed {
  if (below(x, small)) return x.sign > 0 ? beside(one, 'away') : beside(one, 'toward')
  if (!below(x, 16)) return exactly(dyadic(1n, x.sign * far))
  const value = fixedOf(x)
  const k = value / ln2()
  return enclosed(fixed('exp', value - k * ln2()), Number(k))
}

const exp = completed([infinity, zero, one], expOf)

const exp2 = completed([infinity, zero, one], (x) => {
  if (below(x, small)) return x.sign > 0 ? beside(one, 'away') : beside(one, 'toward')
  if (!below(x, 17)) return exactly(dyadic(1n, x.sign * far))
  const { floor, rest } = floorOf(x)
  if (rest.sign === 0) return exactly(dyadic(1n, Number(floor)))
  return enclosed(fixed('exp', times(fixedOf(rest), ln2())), Number(floor))
})

/** log of a positive number that is not 1, in fixed point: that of the significand, and a multiple of ln 2. */
function logOf(x: Exact): bigint {
  const exponent = floorLog2Of(x)
  return fixed('log', fixedOf({ ...x, exponent: x.exponent - exponent })) + BigInt(exponent) * ln2()
}

const log = completed([infinity, nan, negativeInfinity], (x) => {
  if (x.sign < 0) return exactly(nan)
  return isOne(x) ? exactly(zero) : enclosed(logOf(x))
})

const log2 = completed([infinity, nan, negativeInfinity], (x) => {
  if (x.sign < 0) return exactly(nan)
  const exponent = floorLog2Of(x)
  if (compare(x, dyadic(1n, exponent)) === 0) return exactly(dyadic(BigInt(exponent), 0))
  return enclosed(over(logOf(x), ln2()))
})

const logOnePlus = completed([infinity, nan, zero], (x) =>
  below(x, small) ? beside(x, x.sign > 0 ? 'toward' : 'away') : log(add(one, x)),
)

const expMinusOne = completed([infinity, negate(one), zero], (x) => {
  if (below(x, small)) return beside(x, x.sign > 0 ? 'away' : 'toward')
  // Where e^x is too small to count the result is -1 and a little.
  if (x.sign < 0 && !below(x, 8)) return beside(negate(one), 'toward')
  return both(expOf(x), (value) => add(value, negate(one)))
})

function trigonometric(name: 'sin' | 'cos' | 'tan', x: Exact): Enclosed {
  if (!below(x, 129)) {
    throw new RangeError(
      `operate: ${name} of a magnitude from 2^129 on is not computed [2^${floorLog2Of(x)}]`,
    )
  }
  return enclosed(fixed(name, fixedOf(x)))
}

const sin = odd(nan, 'toward', (x) => trigonometric('sin', x))
const tan = odd(nan, 'away', (x) => trigonometric('tan', x))
const cos = completed([nan, nan, one], (x) =>
  below(x, small) ? beside(one, 'toward') : trigonometric('cos', x),
)

const beyondOne = (x: Exact): boolean => compare(magnitude(x), one) > 0
const halfPi = (): Enclosed => enclosed(pi() / 2n)

const arcSin = odd(nan, 'away', (x) => (beyondOne(x) ? exactly(nan) : enclosed(fixed('asin', fixedOf(x)))))
const arcCos = completed([nan, nan, half], (x) => {
  if (beyondOne(x)) return exactly(nan)
  if (isOne(x)) return exactly(zero)
  return enclosed(fixed('acos', fixedOf(x)))
})

/** atan of a positive number, in fixed point. */
const atanOf = (x: Exact): bigint =>
  below(x, 100) ? fixed('atan', fixedOf(x)) : pi() / 2n - fixedOf(divide(one, x))
const arcTan = (x: Exact): Enclosed => odd(halfPi(), 'toward', (y) => enclosed(atanOf(y)))(x)

const sinh = odd(infinity, 'away', (x) => {
  if (below(x, 8)) return enclosed(fixed('sinh', fixedOf(x)))
  return both(expOf(x), (value) => multiply(value, half))
})
const cosh = completed([infinity, infinity, one], (x) => {
  if (below(x, small)) return beside(one, 'away')
  if (below(x, 8)) return enclosed(fixed('cosh', fixedOf(x)))
  return both(expOf(magnitude(x)), (value) => multiply(value, half))
})
const tanh = odd(one, 'toward', (x) =>
  below(x, 7) ? enclosed(fixed('tanh', fixedOf(x))) : beside(one, 'toward'),
)
const arcSinh = odd(infinity, 'toward', (x) =>
  below(x, 100) ? enclosed(fixed('asinh', fixedOf(x))) : enclosed(logOf(x) + ln2()),
)
const arcCosh = completed([infinity, nan, nan], (x) => {
  if (compare(x, one) < 0) return exactly(nan)
  if (isOne(x)) return exactly(zero)
  return below(x, 100) ? enclosed(fixed('acosh', fixedOf(x))) : enclosed(logOf(x) + ln2())
})
const arcTanh = odd(nan, 'away', (x) => {
  if (isOne(x)) return exactly(infinity)
  return beyondOne(x) ? exactly(nan) : enclosed(fixed('atanh', fixedOf(x)))
})

/** Half turns: x mod 2, exact, so that arguments may be of any size. */
const turned = (x: Exact): Exact => multiply(floorOf(multiply(x, half)).rest, dyadic(2n, 0))

/** sin(pi x) or cos(pi x) with x from 0 up to 2, in fixed point; their zeros and ones are the caller's. */
const ofPi = (name: 'sin' | 'cos', x: Exact): Enclosed => enclosed(fixed(name, times(fixedOf(x), pi())))

/** x pi, for small x: the function is it, and no number on which rounding turns lies between. */
function timesPi(x: Exact): Enclosed {
  const pair = both(enclosed(pi()), (value) => multiply(value, x))
  return x.sign < 0 ? swapped(pair) : pair
}

function swapped({ low, high }: Enclosed): Enclosed {
  return { low: high, high: low }
}

const overPi = (x: Exact): Enclosed => {
  const { low, high } = enclosed(pi())
  const pair = { low: divide(x, high), high: divide(x, low) }
  return x.sign < 0 ? swapped(pair) : pair
}

/** A quarter of a turn's places: 0, 1/2, 1, 3/2 by 0 .. 3, undefined elsewhere. */
function quarterOf(x: Exact): number | undefined {
  const { floor, rest } = floorOf(multiply(x, dyadic(2n, 0)))
  return rest.sign === 0 ? Number(floor) : undefined
}

const sinPi = completed([nan, nan, zero], (x) => {
  if (below(x, small)) return timesPi(x)
  const place = turned(x)
  const quarter = quarterOf(place)
  return quarter === undefined ? ofPi('sin', place) : exactly([zero, one, zero, negate(one)][quarter]!)
})
const cosPi = completed([nan, nan, one], (x) => {
  if (below(x, small)) return beside(one, 'toward')
  const place = turned(x)
  const quarter = quarterOf(place)
  return quarter === undefined ? ofPi('cos', place) : exactly([one, zero, negate(one), zero][quarter]!)
})
const tanPi = completed([nan, nan, zero], (x) => {
  if (below(x, small)) return timesPi(x)
  const place = turned(x)
  const eighth = quarterOf(multiply(place, dyadic(2n, 0)))
  // 0, 1/4, 1/2 ... of a half turn: 0, 1, an infinity of the sine's sign, -1, and again with the other one.
  if (eighth !== undefined) {
    return exactly([zero, one, infinity, negate(one), zero, one, negativeInfinity, negate(one)][eighth]!)
  }
  return enclosed(fixed('tan', times(fixedOf(place), pi())))
})

const isHalf = (x: Exact): boolean => compare(x, half) === 0
const divided = (value: bigint): Enclosed => enclosed(over(value, pi()))

const arcSinPi = completed([nan, nan, zero], (x) => {
  if (beyondOne(x)) return exactly(nan)
  if (below(x, small)) return overPi(x)
  const size = magnitude(x)
  const known = isOne(size) ? half : isHalf(size) ? rational(1n, 6n, 0) : undefined
  if (known) return exactly(x.sign < 0 ? negate(known) : known)
  return divided(fixed('asin', fixedOf(x)))
})
const arcCosPi = completed([nan, nan, half], (x) => {
  if (beyondOne(x)) return exactly(nan)
  if (isOne(x)) return exactly(zero)
  if (isMinusOne(x)) return exactly(one)
  if (isHalf(magnitude(x))) return exactly(rational(x.sign > 0 ? 1n : 2n, 3n, 0))
  return below(x, small) ? beside(half, x.sign > 0 ? 'toward' : 'away') : divided(fixed('acos', fixedOf(x)))
})
const arcTanPi = completed([half, negate(half), zero], (x) => {
  if (below(x, small)) return overPi(x)
  const quarter = dyadic(x.sign < 0 ? -1n : 1n, -2)
  if (isOne(magnitude(x))) return exactly(quarter)
  // So large a number's is 1/2 and a little less.
  if (!below(x, 100)) return beside(multiply(quarter, dyadic(2n, 0)), 'toward')
  const value = atanOf(magnitude(x))
  return divided(x.sign < 0 ? -value : value)
})

const softplus = completed([infinity, zero, nan], (x) => {
  if (below(x, 6)) return enclosed(fixed('softplus', fixedOf(x)))
  if (x.sign > 0) return beside(x, 'away')
  // e^x less half its square, which is below 2^-90 of it.
  const { low, high } = expOf(x)
  return { low: add(low, multiply(low, dyadic(-1n, -90))), high }
})

/** atan2 as a number of half turns where that is rational, else in fixed point. */
function angle(
  y: Exact,
  x: Exact,
): { readonly turns: Exact } | { readonly value: bigint } | { readonly near: Exact } {
  const turns = (value: Exact) => ({ turns: y.sign < 0 ? negate(value) : value })
  if (y.kind === 'nan' || x.kind === 'nan' || (y.sign === 0 && x.sign === 0)) return { turns: nan }
  if (y.kind === 'infinity') return x.kind === 'infinity' ? { turns: nan } : turns(half)
  if (x.kind === 'infinity') return x.sign > 0 ? { turns: zero } : turns(one)
  if (y.sign === 0) return { turns: x.sign > 0 ? zero : one }
  if (x.sign === 0) return turns(half)
  const quotient = magnitude(divide(y, x))
  if (isOne(quotient)) return turns(x.sign > 0 ? dyadic(1n, -2) : dyadic(3n, -2))
  if (below(quotient, small) && x.sign > 0) return { near: y.sign < 0 ? negate(quotient) : quotient }
  const first = atanOf(quotient)
  const value = x.sign > 0 ? first : pi() - first
  return { value: y.sign < 0 ? -value : value }
}

function arcTan2(y: Exact, x: Exact): Enclosed {
  const found = angle(y, x)
  if ('near' in found) return beside(found.near, 'toward')
  if ('value' in found) return enclosed(found.value)
  const { turns } = found
  return turns.kind !== 'finite' || turns.sign === 0 ? exactly(turns) : enclosed(times(fixedOf(turns), pi()))
}

function arcTan2Pi(y: Exact, x: Exact): Enclosed {
  const found = angle(y, x)
  if ('near' in found) return overPi(found.near)
  if ('turns' in found) return exactly(found.turns)
  // Beside half a turn or a whole one the quotient may be too small to show.
  const size = found.value < 0n ? -found.value : found.value
  for (const [turns, value] of [
    [half, pi() / 2n],
    [one, pi()],
  ] as const) {
    const distance = size - value
    if ((distance < 0n ? -distance : distance) < unit >> 90n) {
      const side = compare(magnitude(y), magnitude(x)) > 0 && x.sign < 0 ? 'away' : 'toward'
      return beside(y.sign < 0 ? negate(turns) : turns, side)
    }
  }
  return divided(found.value)
}

/** The transcendental operations of one operand. */
export type RealUnary =
  | 'Exp'
  | 'Exp2'
  | 'Log'
  | 'Log2'
  | 'LogOnePlus'
  | 'ExpMinusOne'
  | 'Sin'
  | 'Cos'
  | 'Tan'
  | 'ArcSin'
  | 'ArcCos'
  | 'ArcTan'
  | 'Sinh'
  | 'Cosh'
  | 'Tanh'
  | 'ArcSinh'
  | 'ArcCosh'
  | 'ArcTanh'
  | 'SinPi'
  | 'CosPi'
  | 'TanPi'
  | 'ArcSinPi'
  | 'ArcCosPi'
  | 'ArcTanPi'
  | 'Softplus'

export const realUnary: Readonly<Record<RealUnary, (x: Exact) => Enclosed>> = {
  Exp: exp,
  Exp2: exp2,
  Log: log,
  Log2: log2,
  LogOnePlus: logOnePlus,
  ExpMinusOne: expMinusOne,
  Sin: sin,
  Cos: cos,
  Tan: tan,
  ArcSin: arcSin,
  ArcCos: (x: Exact): Enclosed => (x.kind === 'finite' && x.sign === 0 ? halfPi() : arcCos(x)),
  ArcTan: arcTan,
  Sinh: sinh,
  Cosh: cosh,
  Tanh: tanh,
  ArcSinh: arcSinh,
  ArcCosh: arcCosh,
  ArcTanh: arcTanh,
  SinPi: sinPi,
  CosPi: cosPi,
  TanPi: tanPi,
  ArcSinPi: arcSinPi,
  ArcCosPi: arcCosPi,
  ArcTanPi: arcTanPi,
  Softplus: (x: Exact): Enclosed => (x.kind === 'finite' && x.sign === 0 ? enclosed(ln2()) : softplus(x)),
}

/** Those of two. */
export const realBinary: Readonly<Record<'ArcTan2' | 'ArcTan2Pi', (y: Exact, x: Exact) => Enclosed>> = {
  ArcTan2: arcTan2,
  ArcTan2Pi: arcTan2Pi,
}
