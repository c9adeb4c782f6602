import { entryOf, indexedOps, noRows, type Op, type OpTable } from '../../tensor/index.js'
import type { NonFiniteKind } from './nonFinite.js'

type Lists = readonly (readonly number[])[]

/**
 * What an operation does with numbers that reports of lost values have to know: where IEEE 754 raises an exception, and what
 * a zero means.
 */
export interface ExceptionRule {
  /** The result in float64, of an operation whose elements read many: elementwise ones run their kernel. */
  readonly exact?: (operands: readonly (readonly number[])[]) => number | undefined
  /** What it is called that finite operands lie on a pole, where the exact result is infinite: the exception divideByZero. */
  readonly pole?: (a: number, b: number) => NonFiniteKind | undefined
  /** What a NaN from operands that are none is called: the exception invalid. Default: 'outside the domain' of one operand. */
  readonly invalid?: NonFiniteKind | ((operands: readonly (readonly number[])[]) => NonFiniteKind)
  /** Of a function that grows like an exponential: the operand at which it reaches y. */
  readonly reaches?: (y: number) => number
  /** Whether a zero from finite operands that are none is a result too small for float64: the exception underflow. */
  readonly vanishes?: boolean
  /** Where a tiny result that is not zero was rounded even if float64 has the same: no float is the exact one. */
  readonly inexact?: (a: number) => boolean
  /** Whether a zero from operands that are none is what an addition took away. */
  readonly cancels?: boolean
  /** 1 for a sum of two numbers, -1 for a difference. */
  readonly adds?: 1 | -1
  /** Whether it adds the elements of lanes, in the order and dtype of its attributes. */
  readonly addsAlong?: boolean
}

const total = (list: readonly number[]): number => list.reduce((s, x) => s + x, 0)
type Pole = NonNullable<ExceptionRule['pole']>
const byZero: Pole = (below) => (below === 0 ? 'division by zero' : undefined)
const quotient: Pole = (above, below) => (above === 0 ? undefined : byZero(below, 0))
const byItself = ([above]: Lists): NonFiniteKind => (above?.[0] === 0 ? '0 / 0' : 'Inf / Inf')
const ofZero: Pole = (a) => (a === 0 ? 'log of zero' : undefined)
/** A transcendental function of a rational number is none. */
const inexact = (): boolean => true
const tiny: ExceptionRule = { vanishes: true, inexact }
const ofProducts = ([a = [], b = []]: Lists): NonFiniteKind =>
  a.some((x, i) => Number.isNaN(x * b[i]!)) ? '0 * Inf' : 'Inf - Inf'
const added: ExceptionRule = { exact: ([a = []]) => total(a), invalid: 'Inf - Inf', cancels: true }
const addedAlong: ExceptionRule = { ...added, addsAlong: true }

/** Of few: a call has room for so many arguments. */
function extremum(f: (...list: number[]) => number, list: readonly number[]): number | undefined {
  return list.length < 1000 ? f(...list) : undefined
}

/** The exception rule of an operation; none for custom operations. */
export function exceptionRule(op: Op): ExceptionRule {
  return (op === indexedOps.scatter ? added : entryOf(exceptionRules, op)) ?? {}
}

/** 'none' where the form says it all, and where a NaN from one operand is 'outside the domain'. */
const exceptionRules: OpTable<ExceptionRule> = {
  ...noRows('moves', 'decides', 'bits'),
  exp: { reaches: Math.log, ...tiny },
  exp2: { reaches: Math.log2, vanishes: true, inexact: (a) => !Number.isInteger(a) },
  expm1: { reaches: Math.log, inexact },
  log: { pole: ofZero },
  log2: { pole: ofZero },
  log10: { pole: ofZero },
  log1p: { pole: (a) => ofZero(1 + a, 0), inexact },
  sqrt: 'none',
  rsqrt: { pole: byZero },
  cbrt: 'none',
  reciprocal: { pole: byZero },
  sin: { inexact },
  cos: 'none',
  tan: { inexact },
  asin: { inexact },
  acos: 'none',
  atan: { inexact },
  sinh: { reaches: (y) => Math.log(y) + Math.LN2, inexact },
  cosh: { reaches: (y) => Math.log(y) + Math.LN2 },
  tanh: { inexact },
  asinh: { inexact },
  acosh: 'none',
  atanh: { pole: (a) => (Math.abs(a) === 1 ? 'pole' : undefined), inexact },
  sigmoid: tiny,
  softplus: tiny,
  silu: tiny,
  gelu: tiny,
  geluTanh: tiny,
  erf: { inexact },
  erfc: tiny,
  lgamma: { pole: (a) => (a <= 0 && Number.isInteger(a) ? 'pole' : undefined) },
  square: { vanishes: true },
  abs: 'none',
  neg: 'none',
  sign: 'none',
  floor: 'none',
  ceil: 'none',
  rint: 'none',
  trunc: 'none',
  relu: 'none',
  add: { adds: 1, invalid: 'Inf - Inf', cancels: true },
  sub: { adds: -1, invalid: 'Inf - Inf', cancels: true },
  mul: { invalid: '0 * Inf', vanishes: true },
  div: { pole: quotient, invalid: byItself, vanishes: true },
  pow: {
    pole: (a, b) => (a === 0 && b < 0 ? 'division by zero' : undefined),
    invalid: 'outside the domain',
    vanishes: true,
  },
  atan2: tiny,
  hypot: 'none',
  rem: { invalid: 'outside the domain' },
  minimum: 'none',
  maximum: 'none',
  where: 'none',
  cast: 'none',
  sum: addedAlong,
  mean: { ...addedAlong, exact: ([a = []]) => total(a) / a.length },
  cumsum: addedAlong,
  cumprod: { exact: ([a = []]) => a.reduce((p, x) => p * x, 1), invalid: '0 * Inf', vanishes: true },
  matmul: {
    exact: ([a = [], b = []]) => a.reduce((s, x, i) => s + x * b[i]!, 0),
    invalid: ofProducts,
    vanishes: true,
    cancels: true,
  },
  max: { exact: ([a = []]) => extremum(Math.max, a) },
  min: { exact: ([a = []]) => extremum(Math.min, a) },
}
