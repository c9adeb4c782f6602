import { entryOf, type Op, type OpTable } from '../../tensor/index.js'
import { scatterOp } from '../rules/scatter.js'
import type { NonFiniteKind } from './nonFinite.js'

type Lists = readonly (readonly number[])[]

/** What an operation does with numbers that a report of where a NaN came from has to know. */
export interface Explanation {
  /** The result in float64, of an operation whose elements read many: elementwise ones run their kernel. */
  readonly exact?: (operands: Lists) => number | undefined
  /** What a result that is not finite is called where its operands lie on a pole. */
  readonly pole?: (a: number, b: number) => NonFiniteKind | undefined
  /** What a NaN from operands that are none is called. */
  readonly nan?: NonFiniteKind | ((operands: Lists) => NonFiniteKind)
  /** Of a function that grows like an exponential: the operand at which it reaches y. */
  readonly reaches?: (y: number) => number
  /** Whether a zero from operands that are none is a result too small for float64. */
  readonly vanishes?: boolean
  /** Whether a zero from operands that are none is what an addition took away. */
  readonly cancels?: boolean
}

const total = (list: readonly number[]): number => list.reduce((s, x) => s + x, 0)
const byZero = (below: number): NonFiniteKind | undefined => (below === 0 ? 'division by zero' : undefined)
const quotient = (above: number, below: number): NonFiniteKind | undefined =>
  above === 0 && below === 0 ? '0 / 0' : byZero(below)
const ofProducts = ([a = [], b = []]: Lists): NonFiniteKind =>
  a.some((x, i) => Number.isNaN(x * b[i]!)) ? '0 * Inf' : 'Inf - Inf'
const added: Explanation = { exact: ([a = []]) => total(a), nan: 'Inf - Inf', cancels: true }

/** Of few: a call has room for so many arguments. */
function extremum(f: (...list: number[]) => number, list: readonly number[]): number | undefined {
  return list.length < 1000 ? f(...list) : undefined
}

/** What there is to say of an operation; nothing of one's own operations. */
export function explanationOf(op: Op): Explanation {
  return (op === scatterOp ? added : entryOf(explanations, op)) ?? {}
}

/** 'none' where the form says it all, and where a NaN from one operand is 'outside the domain'. */
const explanations: OpTable<Explanation> = {
  exp: { reaches: Math.log, vanishes: true },
  exp2: { reaches: Math.log2, vanishes: true },
  expm1: { reaches: Math.log },
  log: { pole: (a) => (a === 0 ? 'log of zero' : undefined) },
  log2: { pole: (a) => (a === 0 ? 'log of zero' : undefined) },
  log10: { pole: (a) => (a === 0 ? 'log of zero' : undefined) },
  log1p: { pole: (a) => (a === -1 ? 'log of zero' : undefined) },
  sqrt: 'none',
  rsqrt: { pole: byZero },
  cbrt: 'none',
  reciprocal: { pole: byZero },
  sin: 'none',
  cos: 'none',
  tan: 'none',
  asin: 'none',
  acos: 'none',
  atan: 'none',
  sinh: { reaches: (y) => Math.log(y) + Math.LN2 },
  cosh: { reaches: (y) => Math.log(y) + Math.LN2 },
  tanh: 'none',
  asinh: 'none',
  acosh: 'none',
  atanh: 'none',
  sigmoid: { vanishes: true },
  softplus: { vanishes: true },
  silu: { vanishes: true },
  gelu: { vanishes: true },
  geluTanh: { vanishes: true },
  erf: 'none',
  erfc: { vanishes: true },
  lgamma: 'none',
  square: { vanishes: true },
  abs: 'none',
  neg: 'none',
  sign: 'none',
  floor: 'none',
  ceil: 'none',
  rint: 'none',
  trunc: 'none',
  relu: 'none',
  add: { nan: 'Inf - Inf', cancels: true },
  sub: { nan: 'Inf - Inf', cancels: true },
  mul: { nan: '0 * Inf', vanishes: true },
  div: { pole: quotient, nan: 'Inf / Inf', vanishes: true },
  pow: {
    pole: (a, b) => (a === 0 && b < 0 ? 'division by zero' : undefined),
    nan: 'outside the domain',
    vanishes: true,
  },
  atan2: 'none',
  minimum: 'none',
  maximum: 'none',
  where: 'none',
  cast: 'none',
  sum: added,
  mean: { ...added, exact: ([a = []]) => total(a) / a.length },
  cumsum: added,
  cumprod: { exact: ([a = []]) => a.reduce((p, x) => p * x, 1), nan: '0 * Inf', vanishes: true },
  matmul: {
    exact: ([a = [], b = []]) => a.reduce((s, x, i) => s + x * b[i]!, 0),
    nan: ofProducts,
    vanishes: true,
    cancels: true,
  },
  max: { exact: ([a = []]) => extremum(Math.max, a) },
  min: { exact: ([a = []]) => extremum(Math.min, a) },
  argmax: 'none',
  argmin: 'none',
  reshape: 'none',
  transpose: 'none',
  broadcastTo: 'none',
  flip: 'none',
  slice: 'none',
  take: 'none',
  concat: 'none',
  tril: 'none',
  triu: 'none',
  equal: 'none',
  notEqual: 'none',
  less: 'none',
  lessEqual: 'none',
  greater: 'none',
  greaterEqual: 'none',
  logicalAnd: 'none',
  logicalOr: 'none',
  logicalNot: 'none',
  isFinite: 'none',
  isInf: 'none',
  isNaN: 'none',
}
