import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
  shown,
} from '../base/options/index.js'
import {
  type DTypeFacts,
  type FloatDType,
  holds,
  type Order,
  orders,
  wideDType,
} from '../tensors/tensor/index.js'
import { addable, fits, underflowUnit, unitRoundoff } from './roundoff.js'
import { type SummationBound, summationBound } from './summationBound.js'

/** The computation whose error is bounded; names and defaults are those of the operation. */
export interface BoundOptions {
  /** How many terms. */
  readonly n: number
  /** Dtype of operands and result. */
  readonly dtype: FloatDType
  /** Default 'sequential'. */
  readonly order?: Order
  /** Dtype of the sums. Default: float32, float64 for float64; for 'cumsum' and 'decay' `dtype`. */
  readonly accumulate?: FloatDType
}

/** The same for a decay exp(A cumsum dt), where `order` and `accumulate` are those of the cumsum. */
export interface DecayBoundOptions extends BoundOptions {
  /** Dtype that the running sum is kept in, and of product and exp. Default: `dtype`, as naiveDecay; stableDecay: 'float32'. */
  readonly internal?: FloatDType
}

const boundNames: OptionTable<DecayBoundOptions> = {
  n: 'required',
  dtype: 'required',
  order: 'optional',
  accumulate: 'optional',
  internal: 'optional',
}

/** An upper bound of |computed - exact|. */
export interface ErrorBound {
  /** Infinity where overflow cannot be excluded. */
  readonly bound: number
  /** The bound in letters: S the sum of absolute values, u the unit roundoff, eta half the smallest subnormal. */
  readonly formula: string
  readonly source: string
}

/** What a bound needs to know of the data. */
export interface BoundData {
  /** The sum of |x|, for 'dot' of |a b|: `exactSum(abs(x))`. An upper bound of it will do. */
  readonly sumAbs: number
  /** For 'dot' in an `accumulate` that does not hold the dtype: the largest |operand|. Default: that of the dtype. */
  readonly maxAbs?: number
}

/** The same for a decay. */
export interface DecayBoundData extends BoundData {
  readonly A: number
  /** The largest exact exponent A cs among the elements in question. Default 0: all elements, where none grows. */
  readonly exponent?: number
}

const dataNames: OptionTable<BoundData & Partial<DecayBoundData>> = {
  sumAbs: 'required',
  maxAbs: 'optional',
  A: 'optional',
  exponent: 'optional',
}

/**
 * A-priori bound of the absolute error of a sum, product or scan (`kernels.errorBound` is that of attention and the other
 * kernels), for every order and accumulation dtype: rigorous for any input of that size, with subnormals and the last rounding.
 *
 * 'sum'    of n terms.
 * 'cumsum' every one of n running sums.
 * 'dot'    of n products, each element of a matmul.
 * 'decay'  every element of exp(A cumsum dt), sumAbs being the sum of |dt|.
 *
 * Dtype    signed floats.
 * Throws   TypeError for other dtypes.
 * Special  Infinity where something on the way might overflow.
 * Error    the bound is rounded upwards by a relative 2^-40.
 *
 * @example errorBound('sum', { n: 129, dtype: 'bfloat16', accumulate: 'bfloat16' }, { sumAbs: 10 }).formula // (n - 1) u S, u = 2^-8
 * @example errorBound('cumsum', { n: 4096, dtype: 'bfloat16', order: 'pairwise' }, { sumAbs: 1 }).bound < 0.05 // true
 */
export function errorBound(op: 'sum' | 'cumsum' | 'dot', options: BoundOptions, data: BoundData): ErrorBound
export function errorBound(op: 'decay', options: DecayBoundOptions, data: DecayBoundData): ErrorBound
export function errorBound(
  op: 'sum' | 'cumsum' | 'dot' | 'decay',
  options: DecayBoundOptions,
  data: BoundData & Partial<DecayBoundData>,
): ErrorBound {
  checkOptions('errorBound', options, boundNames)
  checkOptions('errorBound', data, dataNames)
  const { n, dtype, order = 'sequential', internal = dtype } = options
  const running = op === 'cumsum' || op === 'decay'
  const { accumulate = running ? dtype : wideDType(dtype) } = options
  const { sumAbs } = data
  checkInteger('errorBound', 'n', n)
  if (!(typeof sumAbs === 'number' && sumAbs >= 0)) {
    throw new RangeError(`errorBound: sumAbs is not a number, 0 or more [${shown(sumAbs)}]`)
  }
  checkOrder(order)
  if (running && typeof order === 'object' && 'windowed' in order) {
    throw new RangeError(`errorBound: only sums go by windows [windowed ${order.windowed}]`)
  }
  const own = addable('errorBound', dtype)
  const wide = addable('errorBound', accumulate)
  const terms =
    op === 'dot' ? productsOf(own, wide, holds(accumulate, dtype), n, data) : addendsOf(own, wide, n, sumAbs)
  const added = summationBound({
    n,
    order,
    running,
    accumulate: wide,
    sumAbs: terms.sumAbs,
    tiny: terms.tiny,
  })
  const total = {
    ...added,
    size: sumAbs,
    error: added.error + terms.error,
    peak: Math.max(added.peak, terms.peak),
    formula: added.formula + terms.formula,
  }
  switch (op) {
    case 'sum':
    case 'cumsum':
    case 'dot':
      return finish(rounded(total, wide, own))
    case 'decay': {
      const inner = addable('errorBound', internal)
      const { A, exponent = 0 } = data
      if (A === undefined || !Number.isFinite(A)) {
        throw new RangeError(`errorBound: decay needs a finite A [${A}]`)
      }
      return finish(rounded(decayed(rounded(total, wide, inner), A, exponent, inner), inner, own))
    }
    default:
      throw new RangeError(`errorBound: unknown operation [${String(op satisfies never)}]`)
  }
}

function checkOrder(order: Order): void {
  if (typeof order !== 'string') checkRecord('errorBound', 'order', order)
  const width = typeof order === 'object' ? ('blocked' in order ? order.blocked : order.windowed) : 2
  if (typeof order === 'string') checkName('errorBound', 'order', order, orders)
  if (!Number.isInteger(width) || width < 2) {
    throw new RangeError(`errorBound: rows need a whole number above 1 [${width}]`)
  }
}

/** A bound under way: `size` bounds the exact value, `peak` everything computed. */
interface Stage extends SummationBound {
  readonly size: number
  readonly u?: number
}

/** What is added up: its sum of absolute values, and how far that already is from the exact terms. */
interface Terms {
  readonly sumAbs: number
  readonly error: number
  readonly peak: number
  /** Below the subnormals of the accumulation dtype. */
  readonly tiny: boolean
  readonly formula: string
}

/** The elements, rounded to the accumulation dtype where it does not have them. */
function addendsOf(own: DTypeFacts, wide: DTypeFacts, n: number, sumAbs: number): Terms {
  if (fits(own, wide)) return { sumAbs, error: 0, peak: 0, tiny: false, formula: '' }
  const error = unitRoundoff(wide) * sumAbs + n * underflowUnit(wide)
  const formula = ' + u S + n eta, S larger by the same'
  return { sumAbs: sumAbs + error, error, peak: sumAbs + error, tiny: false, formula }
}

/** Products: exact in a dtype that holds the operands and is not theirs; else of rounded operands, rounded. */
function productsOf(own: DTypeFacts, wide: DTypeFacts, held: boolean, n: number, data: BoundData): Terms {
  const { sumAbs, maxAbs = own.max } = data
  if (held && own !== wide) {
    const tiny = own.minPositive ** 2 < wide.minPositive
    return { sumAbs, error: 0, peak: 0, tiny, formula: '' }
  }
  const u = unitRoundoff(wide)
  const eta = underflowUnit(wide)
  const asIs = fits(own, wide)
  const operands = asIs ? 0 : (2 * u + u * u) * sumAbs + n * (2 * (1 + u) * maxAbs * eta + eta * eta)
  const error = operands + u * (sumAbs + operands) + n * eta
  return {
    sumAbs: sumAbs + error,
    error,
    peak: Math.max(sumAbs + error, asIs ? 0 : (1 + u) * maxAbs + eta),
    tiny: false,
    formula: ` + ${asIs ? '' : '((1 + u)^2 - 1) S + 2 n M eta (1 + u) + n eta^2 + '}u S + n eta, S larger by the same`,
  }
}

/** Adds the rounding from one dtype to another, none where the values are the same. */
function rounded(stage: Stage, from: DTypeFacts, to: DTypeFacts): Stage {
  const u = stage.u ?? unitRoundoff(from)
  if (stage.peak > from.max) return { ...stage, error: Infinity, peak: Infinity, u }
  if (fits(from, to)) return { ...stage, u }
  const eta = from.minPositive < to.minPositive ? underflowUnit(to) : 0
  const size = stage.size + stage.error
  const error = stage.error + unitRoundoff(to) * size + eta
  const formula = `${stage.formula} + 2^-${to.precision} |r|${eta > 0 ? ` + 2^${Math.log2(eta)}` : ''}`
  const peak = size > to.max ? Infinity : size
  return { ...stage, error: peak === Infinity ? Infinity : error, peak, formula, u }
}

/** exp(A cs), cs off by its error: product and exp each rounded to `inner`. */
function decayed(cs: Stage, A: number, exponent: number, inner: DTypeFacts): Stage {
  const u = unitRoundoff(inner)
  const eta = underflowUnit(inner)
  const product = Math.abs(A) * (cs.size + cs.error)
  const shift = Math.abs(A) * cs.error + u * product + eta
  // Math.exp may be off in its last bits: 2^-50 covers every engine, and is small beside u up to float32.
  const relative = Math.expm1(shift) + Math.exp(shift) * (u + 2 ** -50)
  const size = Math.exp(exponent) * (1 + 2 ** -50)
  const error = size * relative + eta
  return {
    error: product > inner.max ? Infinity : error,
    peak: product > inner.max ? Infinity : size + error,
    size,
    u,
    formula: `exp(A cs) (exp(e)(1 + v) - 1), e = |A| E + v |A| (S + E), v = 2^-${inner.precision}, E = ${cs.formula} (u = 2^-${Math.round(-Math.log2(cs.u ?? u))})`,
    source: `exp(x + e) = exp(x) exp(e); E: ${cs.source}`,
  }
}

function finish({ error, formula, source, u }: Stage): ErrorBound {
  // NaN comes of Infinity times 0: nothing is known then.
  const bound = Number.isNaN(error) ? Infinity : error * (1 + 2 ** -40)
  return {
    bound,
    formula: u === undefined ? formula : `${formula}, u = 2^-${Math.round(-Math.log2(u))}`,
    source,
  }
}
