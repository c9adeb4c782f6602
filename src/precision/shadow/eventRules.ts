import { entryOf, type Op, type OpTable } from '../../tensor/index.js'

/** What an operation does with numbers that tells its events apart. */
export interface EventRule {
  /** 1 for a sum of two numbers, -1 for a difference. */
  readonly adds?: 1 | -1
  /** Whether it adds the elements of lanes, in the order and dtype of its attributes. */
  readonly addsAlong?: boolean
  /** Whether operands whose exact result is infinite lie on a pole. */
  readonly pole?: (a: number, b: number) => boolean
  /** What a NaN from operands that are none is called. */
  readonly invalid?: (a: number, b: number) => string
  /** Whether a result below the normal range that equals the one in float64 lost something all the same. */
  readonly underflows?: (a: number, b: number, result: number, exact: number) => boolean
}

const always = (): boolean => true
/** A product of numbers that are not zero, which float64 lost too. */
const product = (a: number, b: number, _: number, exact: number): boolean =>
  exact === 0 && a !== 0 && b !== 0 && Number.isFinite(b)
/** A transcendental function of a rational number is never a value of the format; it may be nearer than float64 sees. */
const inexact = (_: number, __: number, result: number): boolean => result !== 0
/** One that comes to nothing far out. */
const vanishing = (a: number, _: number, result: number): boolean =>
  result !== 0 || (a !== 0 && Number.isFinite(a))

/** What there is to say of an operation; nothing of one's own operations. */
export function eventRule(op: Op): EventRule {
  return entryOf(eventRules, op) ?? {}
}

/** 'none' of what has no pole, adds nothing, and whose results below the normal range are those of float64 or off. */
const eventRules: OpTable<EventRule> = {
  exp: { underflows: vanishing },
  exp2: { underflows: vanishing },
  expm1: { underflows: inexact },
  log: { pole: always },
  log2: { pole: always },
  log10: { pole: always },
  log1p: { pole: always, underflows: inexact },
  sqrt: 'none',
  rsqrt: { pole: always },
  cbrt: 'none',
  reciprocal: { pole: always },
  sin: { underflows: inexact },
  cos: 'none',
  tan: { underflows: inexact },
  asin: { underflows: inexact },
  acos: 'none',
  atan: { underflows: inexact },
  sinh: { underflows: inexact },
  cosh: 'none',
  tanh: { underflows: inexact },
  asinh: { underflows: inexact },
  acosh: 'none',
  atanh: { pole: always, underflows: inexact },
  sigmoid: { underflows: vanishing },
  softplus: { underflows: vanishing },
  silu: { underflows: vanishing },
  gelu: { underflows: vanishing },
  geluTanh: { underflows: vanishing },
  erf: { underflows: inexact },
  erfc: { underflows: vanishing },
  lgamma: { pole: always },
  square: 'none',
  abs: 'none',
  neg: 'none',
  sign: 'none',
  floor: 'none',
  ceil: 'none',
  rint: 'none',
  trunc: 'none',
  relu: 'none',
  add: { adds: 1, invalid: () => 'Inf - Inf' },
  sub: { adds: -1, invalid: () => 'Inf - Inf' },
  mul: { invalid: () => '0 * Inf', underflows: product },
  div: {
    pole: (_, below) => below === 0,
    invalid: (a, b) => (a === 0 && b === 0 ? '0 / 0' : 'Inf / Inf'),
    underflows: product,
  },
  pow: { pole: (base) => base === 0 },
  atan2: 'none',
  minimum: 'none',
  maximum: 'none',
  where: 'none',
  cast: 'none',
  sum: { addsAlong: true },
  mean: { addsAlong: true },
  cumsum: { addsAlong: true },
  cumprod: 'none',
  matmul: 'none',
  max: 'none',
  min: 'none',
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
