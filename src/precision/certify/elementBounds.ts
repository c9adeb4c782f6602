import { hypot, type UnaryName, unary } from '../../numbers/functions/index.js'
import { apart, boundOf, productGap, quotientGap, sumGap, up } from './upward.js'

/**
 * An upper bound of |r - exact| for one element, from the operands as computed, the finite bounds of their errors, and the
 * result r as computed. `narrow` says that operands and result have at most 24 bits, so that float64 multiplies them exactly.
 */
export type ElementBound = (
  values: readonly number[],
  bounds: readonly number[],
  r: number,
  narrow: boolean,
) => number

/** Stated relative error of `unary`, and as much again for its argument's rounding. */
const slack = 2 ** -43
/** The same for what float64 rounds correctly, once or twice. */
const rounded = 2 ** -51

/** How far f, evaluated in float64 with its relative error or lost to underflow there, lies from r at most. */
function gap(f: number, r: number, relative = slack): number {
  return f === r && !Number.isFinite(f) ? 0 : up(apart(f, r) + Math.abs(f) * relative + 2 ** -1022)
}

/** The ends of the interval in which the exact operand lies, outward. */
function ends(a: number, bound: number): [low: number, high: number] {
  // An infinity within a finite distance is exact.
  if (bound === 0 || Math.abs(a) === Infinity) return [a, a]
  const out = up(bound) + Math.abs(a) * 2 ** -52
  return [a - out, a + out]
}

type UnaryBound = (a: number, bound: number, r: number) => number

/** A function that only rises, or only falls, where it is defined: the exact value lies between its ends. */
function monotone(name: UnaryName, from = -Infinity, to = Infinity, relative = slack): UnaryBound {
  const f = unary[name]
  return (a, bound, r) => {
    const [low, high] = ends(a, bound)
    if (low < from || high > to || Number.isNaN(low)) return Infinity
    return Math.max(gap(f(low), r, relative), gap(f(high), r, relative))
  }
}

/** A monotone function that float64 evaluates exactly. */
function stepwise(f: (x: number) => number): UnaryBound {
  return (a, bound, r) => {
    const [low, high] = ends(a, bound)
    return Math.max(apart(f(low), r), apart(f(high), r))
  }
}

/** A function with a slope of at most `slope` anywhere, and values within `range` of each other. */
function lipschitz(name: UnaryName, slope: number, range = Infinity): UnaryBound {
  const f = unary[name]
  return (a, bound, r) => up(Math.min(slope * bound, range) + gap(f(a), r))
}

/** A function of |a| that rises with it. */
function evenly(f: (x: number) => number, exact: boolean): UnaryBound {
  return (a, bound, r) => {
    const [low, high] = ends(Math.abs(a), bound)
    const [least, most] = [f(Math.max(low, 0)), f(high)]
    return exact
      ? up(Math.max(apart(least, r), apart(most, r)) + most * 2 ** -52)
      : Math.max(gap(least, r), gap(most, r))
  }
}

/** 1 / x and its like: nothing is known where the operand may be zero. */
function awayFromZero(name: UnaryName): UnaryBound {
  const inner = monotone(name, -Infinity, Infinity, rounded)
  return (a, bound, r) => (Math.abs(a) > up(bound) ? inner(a, bound, r) : Infinity)
}

type Evaluated = Exclude<UnaryName, 'abs'>

const unaryBounds: Readonly<Record<Evaluated, UnaryBound>> = {
  exp: monotone('exp'),
  exp2: monotone('exp2'),
  expm1: monotone('expm1'),
  log: monotone('log', 0),
  log2: monotone('log2', 0),
  log10: monotone('log10', 0),
  log1p: monotone('log1p', -1),
  sqrt: (a, bound, r) => {
    if (bound === 0 && r * r === a && r >= 0 && Math.fround(r) === r) return 0
    return monotone('sqrt', 0, Infinity, rounded)(a, bound, r)
  },
  rsqrt: (a, bound, r) => (a > up(bound) ? monotone('rsqrt', 0, Infinity, rounded)(a, bound, r) : Infinity),
  cbrt: monotone('cbrt'),
  reciprocal: awayFromZero('reciprocal'),
  sin: lipschitz('sin', 1, 2),
  cos: lipschitz('cos', 1, 2),
  tan: (a, bound, r) => {
    const [low, high] = ends(a, bound)
    const turn = (x: number): number => Math.floor(x / Math.PI + 0.5)
    // Both ends on one branch, with a margin for pi's own rounding.
    const margin = Math.abs(a) * 2 ** -50 + 2 ** -50
    if (!(turn(low - margin) === turn(high + margin)) || Math.abs(a) > 2 ** 30) {
      return bound === 0 ? gap(Math.tan(a), r) : Infinity
    }
    return Math.max(gap(Math.tan(low), r), gap(Math.tan(high), r))
  },
  asin: monotone('asin', -1, 1),
  acos: monotone('acos', -1, 1),
  atan: monotone('atan'),
  sinh: monotone('sinh'),
  cosh: evenly(Math.cosh, false),
  tanh: monotone('tanh'),
  asinh: monotone('asinh'),
  acosh: monotone('acosh', 1),
  atanh: monotone('atanh', -1, 1),
  sigmoid: monotone('sigmoid'),
  softplus: monotone('softplus'),
  silu: lipschitz('silu', 1.1),
  gelu: lipschitz('gelu', 1.13),
  geluTanh: lipschitz('geluTanh', 1.13),
  erf: monotone('erf'),
  erfc: monotone('erfc'),
  lgamma: (a, bound, r) => {
    const [low, high] = ends(a, bound)
    const f = unary.lgamma
    const near = (x: number): number => up(apart(f(x), r) + (Math.abs(f(x)) + 1) * slack)
    if (bound === 0 && a > 0) return Number.isFinite(f(a)) ? near(a) : Infinity
    if (!(low > 0)) return Infinity
    // One valley, at 1.4616..., whose floor is -0.12148...
    const valley = low < 1.47 && high > 1.46 ? Math.abs(r + 0.1215) + 1e-3 : 0
    return Math.max(near(low), near(high), valley)
  },
  square: evenly((x) => x * x, true),
  neg: (_, bound) => bound,
  relu: stepwise((x) => Math.max(x, 0)),
  sign: stepwise(Math.sign),
  floor: stepwise(Math.floor),
  ceil: stepwise(Math.ceil),
  rint: stepwise(unary.rint),
  trunc: stepwise(Math.trunc),
}

const unaryElementBounds = Object.fromEntries(
  Object.entries(unaryBounds).map(([name, bound]): [string, ElementBound] => [
    name,
    ([a], [e], r) => boundOf(bound(a!, e!, r)),
  ]),
) as Record<Evaluated, ElementBound>

/** The bounds of elementwise operations. */
export const elementBounds: Readonly<
  Record<
    | UnaryName
    | 'add'
    | 'sub'
    | 'mul'
    | 'div'
    | 'rem'
    | 'minimum'
    | 'maximum'
    | 'pow'
    | 'atan2'
    | 'hypot'
    | 'logAddExp',
    ElementBound
  >
> = {
  ...unaryElementBounds,
  square: ([a], [e], r, narrow) =>
    e === 0 ? productGap(a!, a!, r, narrow) : boundOf(unaryBounds.square(a!, e!, r)),
  abs: ([a], [e], r) => (Math.abs(a!) === r ? e! : Infinity),
  add: ([a, b], [e, f], r) => boundOf(up(e! + f!) + sumGap(a!, b!, r)),
  sub: ([a, b], [e, f], r) => boundOf(up(e! + f!) + sumGap(a!, -b!, r)),
  mul: ([a, b], [e, f], r, narrow) =>
    boundOf(up(up(Math.abs(a!) * f! + Math.abs(b!) * e!) + e! * f!) + productGap(a!, b!, r, narrow)),
  div: ([a, b], [e, f], r, narrow) => {
    const own = quotientGap(a!, b!, r, narrow)
    if (e === 0 && f === 0) return boundOf(own)
    const rest = Math.abs(b!) - up(f!)
    if (!(rest > 0)) return Infinity
    return boundOf(up(up(up(e! + Math.abs(a! / b!) * f!) / rest) + own))
  },
  // It moves with a, while no multiple of b is as near as the error reaches.
  rem: ([a, b], [e, f], r) => {
    if (e === 0 && f === 0) return gap(a! % b!, r)
    return f === 0 && Math.abs(r) > e! && Math.abs(b!) - Math.abs(r) > up(e!) ? e! : Infinity
  },
  minimum: (values, bounds, r) => choice(values, bounds, r, 1),
  maximum: (values, bounds, r) => choice(values, bounds, r, -1),
  pow: ([a, b], [e, f], r) => boundOf(powBound(a!, b!, e!, f!, r)),
  atan2: ([a, b], [e, f], r) => {
    if (e === 0 && f === 0) return gap(Math.atan2(a!, b!), r)
    const [down, over] = [ends(a!, e!), ends(b!, f!)]
    // The cut along the negative axis, and the origin, leave only the range itself.
    if (down[0] <= 0 && down[1] >= 0 && over[0] <= 0) return up(Math.PI + Math.abs(r))
    return Math.max(...down.flatMap((y) => over.map((x) => gap(Math.atan2(y, x), r))))
  },
  // The length of a sum of vectors is at most that of both: the error moves it by the error's own length.
  hypot: ([a, b], [e, f], r) => boundOf(up(hypot(e!, f!)) + gap(hypot(a!, b!), r, rounded)),
  logAddExp: ([a, b], [e, f], r) => {
    const high = Math.max(a!, b!)
    const exact = Number.isFinite(a! - b!) ? high + Math.log1p(Math.exp(-Math.abs(a! - b!))) : a! + b!
    // The exact terms cancel at most to log 2 below, so their error is relative to the larger one.
    return boundOf(up(Math.max(e!, f!) + apart(exact, r) + (Math.abs(exact) + Math.abs(high) + 1) * slack))
  },
}

/** Of the smaller (sign 1) or larger (-1) of two: that of the winner, if it wins whatever the errors; else both reach in. */
function choice([a, b]: readonly number[], [e, f]: readonly number[], r: number, sign: 1 | -1): number {
  if (Number.isNaN(r)) return Infinity
  if (sign * (b! - a!) > up(e! + f!)) return e!
  if (sign * (a! - b!) > up(e! + f!)) return f!
  return Math.max(e!, f!)
}

function powBound(a: number, b: number, e: number, f: number, r: number): number {
  const evaluate = (x: number, y: number): number => (x === 1 ? 1 : x ** y)
  if (e === 0 && f === 0) return a < 0 && !Number.isInteger(b) ? Infinity : gap(evaluate(a, b), r)
  const [low, high] = ends(a, e)
  const powers = ends(b, f)
  if (low > 0) return Math.max(...[low, high].flatMap((x) => powers.map((y) => gap(evaluate(x, y), r))))
  if (f !== 0 || !Number.isInteger(b) || b <= 0) return Infinity
  const most = Math.max(Math.abs(low), Math.abs(high)) ** b
  if (low < 0 && high > 0) return up(most * (1 + slack) + Math.abs(r))
  return Math.max(gap(low ** b, r), gap(high ** b, r))
}
