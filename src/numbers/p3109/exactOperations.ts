import { add, compare, divide, type Exact, infinity, magnitude, multiply, nan, negate, one } from './exact.js'
import { rsqrt, sqrt } from './roots.js'

type Unary = (x: Exact) => Exact
type Binary = (x: Exact, y: Exact) => Exact
type Ternary = (x: Exact, y: Exact, z: Exact) => Exact

const isNaN = ({ kind }: Exact): boolean => kind === 'nan'
const isInfinite = ({ kind }: Exact): boolean => kind === 'infinity'
const less = (x: Exact, y: Exact): boolean => compare(x, y) < 0

/** NaN where an operand is, then as given. */
const numbers =
  (of: Binary): Binary =>
  (x, y) =>
    isNaN(x) || isNaN(y) ? nan : of(x, y)

/** The other operand where one is NaN, then as given. */
const number =
  (of: Binary): Binary =>
  (x, y) =>
    isNaN(x) ? y : isNaN(y) ? x : of(x, y)

const minimum: Binary = (x, y) => (less(x, y) ? x : y)
const maximum: Binary = (x, y) => (less(x, y) ? y : x)

// Of equal magnitudes the lesser, or greater, number; infinities are larger than all numbers.
const minimumMagnitude: Binary = (x, y) => {
  const order = compare(magnitude(x), magnitude(y))
  return order === 0 ? minimum(x, y) : order < 0 ? x : y
}
const maximumMagnitude: Binary = (x, y) => {
  const order = compare(magnitude(x), magnitude(y))
  return order === 0 ? maximum(x, y) : order > 0 ? x : y
}

/** The finite one of a number and an infinity. */
const finite =
  (of: Binary): Binary =>
  (x, y) =>
    isInfinite(x) === isInfinite(y) ? of(x, y) : isInfinite(x) ? y : x

const hypot: Binary = (x, y) => {
  if (isNaN(x) || isNaN(y)) return nan
  return isInfinite(x) || isInfinite(y) ? infinity : sqrt(add(multiply(x, x), multiply(y, y)))
}

const clamp: Ternary = (x, low, high) => {
  if (isNaN(x) || isNaN(low) || isNaN(high) || less(high, low)) return nan
  // Bounds that leave only an infinity: both are it, or nothing lies between.
  if (isInfinite(low) && low.sign > 0) return low
  if (isInfinite(high) && high.sign < 0) return high
  return less(x, low) ? low : less(high, x) ? high : x
}

/** The operations whose results are rational, or square roots, by name: of one operand. */
export type ExactUnary = 'Convert' | 'Abs' | 'Negate' | 'Sqrt' | 'Recip' | 'RSqrt'

export const exactUnary: Readonly<Record<ExactUnary, Unary>> = {
  Convert: (x) => x,
  Abs: magnitude,
  Negate: negate,
  Sqrt: sqrt,
  Recip: (x) => divide(one, x),
  RSqrt: rsqrt,
}

/** Of two operands. */
export type ExactBinary =
  | 'CopySign'
  | 'Add'
  | 'Subtract'
  | 'Multiply'
  | 'Divide'
  | 'Hypot'
  | 'Minimum'
  | 'Maximum'
  | 'MinimumNumber'
  | 'MaximumNumber'
  | 'MinimumMagnitude'
  | 'MaximumMagnitude'
  | 'MinimumMagnitudeNumber'
  | 'MaximumMagnitudeNumber'
  | 'MinimumFinite'
  | 'MaximumFinite'

export const exactBinary: Readonly<Record<ExactBinary, Binary>> = {
  CopySign: numbers((x, y) => (y.sign < 0 ? negate(magnitude(x)) : magnitude(x))),
  Add: add,
  Subtract: (x, y) => add(x, negate(y)),
  Multiply: multiply,
  Divide: divide,
  Hypot: hypot,
  Minimum: numbers(minimum),
  Maximum: numbers(maximum),
  MinimumNumber: number(minimum),
  MaximumNumber: number(maximum),
  MinimumMagnitude: numbers(minimumMagnitude),
  MaximumMagnitude: numbers(maximumMagnitude),
  MinimumMagnitudeNumber: number(minimumMagnitude),
  MaximumMagnitudeNumber: number(maximumMagnitude),
  MinimumFinite: number(finite(minimum)),
  MaximumFinite: number(finite(maximum)),
}

/** Of three operands. */
export type ExactTernary = 'FMA' | 'FAA' | 'Clamp'

export const exactTernary: Readonly<Record<ExactTernary, Ternary>> = {
  FMA: (x, y, z) => add(multiply(x, y), z),
  FAA: (x, y, z) => add(add(x, y), z),
  Clamp: clamp,
}
