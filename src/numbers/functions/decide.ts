import {
  atan,
  cutToOdd,
  divide,
  erf,
  exp,
  fixed,
  fractionBits,
  integerCbrt,
  integerSqrt,
  lgamma,
  log,
  logOf2,
  logOf10,
  multiply,
  one,
  pi,
  sineCosine,
  squareRoot,
} from './real.js'
import { type UnaryName, unary } from './unary.js'

/**
 * The transcendental functions on fixed-point numbers, integers in units of 2^-512: error below 2^-440 times
 * max(1, |value|). Measured against mpmath at 1,100 bits, 60 operands each: at most 2^-496. Functions that are
 * rational or a root have none.
 */
export const reals: Readonly<Partial<Record<UnaryName, (x: bigint) => bigint>>> = {
  exp,
  exp2: (x) => exp(multiply(x, logOf2())),
  expm1: (x) => exp(x) - one,
  log,
  log2: (x) => divide(log(x), logOf2()),
  log10: (x) => divide(log(x), logOf10()),
  log1p: (x) => log(one + x),
  sin: (x) => sineCosine(x)[0],
  cos: (x) => sineCosine(x)[1],
  tan: (x) => {
    const [sine, cosine] = sineCosine(x)
    return divide(sine, cosine)
  },
  asin,
  acos: (x) => pi() / 2n - asin(x),
  atan,
  sinh: (x) => (exp(x) - exp(-x)) / 2n,
  cosh: (x) => (exp(x) + exp(-x)) / 2n,
  tanh: (x) => (x < 0n ? -tanh(-x) : tanh(x)),
  asinh: (x) => (x < 0n ? -asinh(-x) : asinh(x)),
  acosh: (x) => log(x + squareRoot(multiply(x, x) - one)),
  atanh: (x) => log(divide(one + x, one - x)) / 2n,
  sigmoid,
  softplus: (x) => (x > 0n ? x + log(one + exp(-x)) : log(one + exp(x))),
  silu: (x) => multiply(x, sigmoid(x)),
  // x / sqrt 2 enters erf with its exact square.
  gelu: (x) => {
    const square = multiply(x, x) / 2n
    return multiply(x / 2n, one + erf(multiply(x, squareRoot(one / 2n)), square))
  },
  geluTanh: (x) => {
    const cubic = (multiply(multiply(x, x), x) * 44715n) / 1_000_000n
    const u = multiply(squareRoot(divide(2n * one, pi())), x + cubic)
    return multiply(x, sigmoid(2n * u))
  },
  erf: (x) => erf(x, multiply(x, x)),
  erfc: (x) => one - erf(x, multiply(x, x)),
  lgamma,
}

function asin(x: bigint): bigint {
  const cosine = squareRoot(one - multiply(x, x))
  return cosine === 0n ? (x > 0n ? pi() : -pi()) / 2n : atan(divide(x, cosine))
}

function asinh(x: bigint): bigint {
  return log(x + squareRoot(multiply(x, x) + one))
}

function tanh(x: bigint): bigint {
  const square = exp(-2n * x)
  return divide(one - square, one + square)
}

function sigmoid(x: bigint): bigint {
  // Of the two forms the one whose exponential is at most 1.
  const tail = exp(x < 0n ? x : -x)
  return divide(x < 0n ? tail : one, one + tail)
}

/** Where the value is rational, by the theorems of Lindemann and of Gelfond and Schneider nowhere else. */
function rationalResult(name: UnaryName, x: number): number | undefined {
  if (x === 0) {
    if (name === 'exp' || name === 'exp2' || name === 'cos' || name === 'cosh' || name === 'erfc') return 1
    if (name === 'sigmoid') return 0.5
  }
  if (name === 'exp2' && Number.isInteger(x)) return 2 ** x
  if (name === 'log2') {
    const exponent = Math.round(Math.log2(x))
    if (2 ** exponent === x) return exponent
  }
  if (name === 'log10') {
    const exponent = Math.round(Math.log10(x))
    if (exponent >= 0 && Number(`1e${exponent}`) === x) return exponent
  }
  return undefined
}

/**
 * A function's value at a float32 number, rounded to float64 to odd: cut to 53 bits, the last one set if anything was
 * lost. Rounding that once more, to at most 16 bits, rounds the true value once. `unaryTable` asks it where float64
 * leaves a tie open; it shares no formula with `unary`.
 *
 * Special   where the float64 value is zero, infinite or NaN, or the function exact in float64: as `unary`.
 * Cost      0.1 to 5 ms, in integers of 512 fraction bits.
 *
 * @example roundedToOdd('silu', 2 ** -133) > 2 ** -134 // true
 */
export function roundedToOdd(name: UnaryName, x: number): number {
  if (!Object.hasOwn(unary, name)) throw new TypeError(`roundedToOdd: unknown function [${String(name)}]`)
  if (Math.fround(x) !== x && !Number.isNaN(x)) throw new RangeError(`roundedToOdd: not a float32 [${x}]`)
  const estimate = unary[name](x)
  const rational = rationalResult(name, x)
  if (rational !== undefined) return rational
  if (estimate === 0 || !Number.isFinite(estimate) || !Number.isFinite(x)) return estimate
  if (name === 'cbrt') return x < 0 ? -cbrtToOdd(-x) : cbrtToOdd(x)
  if (name === 'rsqrt') return rsqrtToOdd(x)
  const real = reals[name]
  if (real === undefined) return estimate
  if (Math.abs(estimate) < 2 ** -360) throw new RangeError(`roundedToOdd: ${name} is below 2^-360 [${x}]`)
  const value = real(fixed(x))
  const magnitude = value < 0n ? -value : value
  const error = (magnitude >> 440n) + (1n << 72n)
  const lower = cutToOdd(magnitude - error)
  const result = lower === cutToOdd(magnitude + error) ? lower : limitToOdd(name, x, magnitude)
  return value < 0n ? -result : result
}

/** The functions that run into a number of few bits: all from below but softplus, which tends to x from above. */
const limited: readonly UnaryName[] = [
  'tanh',
  'erf',
  'erfc',
  'expm1',
  'sigmoid',
  'softplus',
  'silu',
  'gelu',
  'geluTanh',
]

function limitToOdd(name: UnaryName, x: number, magnitude: bigint): number {
  if (!limited.includes(name)) throw new RangeError(`roundedToOdd: ${name} lies too near a float64 [${x}]`)
  const limit = ((magnitude + (1n << 80n)) >> 81n) << 81n
  return cutToOdd(name === 'softplus' ? limit + 1n : limit - 1n)
}

// Integer roots with their remainders: ties are exact cases here, and must be seen as such.
function cbrtToOdd(x: number): number {
  const scale = 300n
  const cube = fixed(x) << (3n * scale - BigInt(fractionBits))
  const root = integerCbrt(cube)
  return odd(root, root * root * root === cube, Number(scale))
}

function rsqrtToOdd(x: number): number {
  const scale = 400n
  const denominator = fixed(x)
  const numerator = 1n << (2n * scale + BigInt(fractionBits))
  const root = integerSqrt(numerator / denominator)
  return odd(root, root * root * denominator === numerator, Number(scale))
}

function odd(root: bigint, exact: boolean, scale: number): number {
  const extra = root.toString(2).length - 53
  const upper = root >> BigInt(extra)
  const whole = exact && upper << BigInt(extra) === root
  return Number(whole ? upper : upper | 1n) * 2 ** (extra - scale)
}
