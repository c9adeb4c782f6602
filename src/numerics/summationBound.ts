import type { DTypeFacts, Order } from '../tensors/tensor/index.js'
import { underflowUnit, unitRoundoff } from './roundoff.js'

/** A sum whose rounding errors are to be bounded. */
export interface Summation {
  readonly n: number
  readonly order: Order
  /** All running sums instead of the last one: the bound then holds for each. */
  readonly running: boolean
  /** The sum of the absolute values of the terms. */
  readonly sumAbs: number
  /** Whether the terms reach below the subnormals of the accumulation dtype, as exact products may. */
  readonly tiny: boolean
  /** What every step is rounded to. */
  readonly accumulate: DTypeFacts
}

/** How far a sum can be off before its last rounding, and how large anything on the way can get. */
export interface SummationBound {
  readonly error: number
  readonly peak: number
  readonly formula: string
  readonly source: string
}

const exactSums = { error: 0, formula: 'no addition, no error', source: 'nothing is rounded' }

/**
 * Bounds that hold for every n and every input without overflow, not to first order only. One rounding to nearest is off
 * by at most u |t|; where terms are `tiny` and t below the normal range, by at most eta instead.
 */
export function summationBound(sum: Summation): SummationBound {
  if (sum.n === 0 || (sum.n === 1 && !sum.tiny)) return { ...exactSums, peak: sum.sumAbs }
  if (sum.order === 'kahan') return kahan(sum)
  if (sum.order === 'neumaier') return neumaier(sum)
  return tree(sum)
}

/**
 * Plain additions in any order. On a path of h additions every term is multiplied by at most (1 + u)^h; and whatever the
 * order, n - 1 additions of floats are off by at most (n - 1) u S.
 */
function tree({ n, order, running, sumAbs, tiny, accumulate }: Summation): SummationBound {
  const u = unitRoundoff(accumulate)
  const h = depth(order, n, running)
  const growth = Math.expm1(h * Math.log1p(u))
  if (tiny) {
    // n terms may round, and n - 1 additions.
    const error = growth * sumAbs + (2 * n - 1) * underflowUnit(accumulate) * (1 + growth)
    const formula = `((1 + u)^${h} - 1) S + (2n - 1) eta (1 + u)^${h}`
    return { error, peak: sumAbs + error, formula, source: higham }
  }
  const linear = (n - 1) * u
  const error = Math.min(growth, linear) * sumAbs
  const [formula, source] =
    linear <= growth ? ['(n - 1) u S', jeannerodRump] : [`((1 + u)^${h} - 1) S`, higham]
  return { error, peak: sumAbs + error, formula, source }
}

/**
 * Kahan. With a = round(s + y) - (s + y), the exact total before that rounding, T = s + y, moves by
 * T' = T + x + b - e: b the rounding of x - c, e what c misses of a. e is 0 where |s| >= |y| (then c = a, Dekker), else
 * |e| <= u (1 + 6u) |y|. So |T - sum x| <= k (S + sum |a|), k about 2u, with |a| <= u |T|; unrolled below.
 */
function kahan({ n, sumAbs, tiny, accumulate }: Summation): SummationBound {
  const u = unitRoundoff(accumulate)
  const missed = u * (1 + 6 * u)
  const k = ((u + missed) * (1 + u)) / (1 - (1 + u) * missed)
  const factor = (1 + u) * (1 + k) * Math.exp(n * Math.log1p(k * u)) - 1
  // A rounding of x - c below the normal range counts like a term larger by eta / u.
  const whole = tiny ? sumAbs + (n * underflowUnit(accumulate)) / u : sumAbs
  return {
    error: factor * whole,
    peak: (1 + 8 * u) * (1 + factor) * whole,
    formula: `((1 + u)(1 + k)(1 + k u)^n - 1) ${tiny ? '(S + n eta / u)' : 'S'}, k = ${(k / u).toPrecision(4)} u`,
    source: 'Goldberg, doi:10.1145/103162.103163, theorem 8, carried out for every n',
  }
}

/**
 * Neumaier. The lost parts a of the additions are exact, so only their sum c is rounded: n - 2 additions of terms with
 * sum |a| <= A = sum of u (1 + (i - 2) u) S for i = 2 .. n. Then the result once.
 */
function neumaier({ n, sumAbs, tiny, accumulate }: Summation): SummationBound {
  const u = unitRoundoff(accumulate)
  const source =
    'Ogita, Rump, Oishi, Accurate sum and dot product, doi:10.1137/030601818, carried out for every n'
  if (tiny) {
    // Off the grid each addition loses up to u B + eta, and what it lost is itself known up to G in all.
    const eta = underflowUnit(accumulate)
    const largest = Math.exp(n * Math.log1p(u)) * (sumAbs + n * eta)
    const lost = n * (u * largest + eta)
    const missed = u * (1 + u) * sumAbs + u * (2 + u) * lost + 3 * n * eta
    const slip = missed + (n - 1) * u * (lost + missed)
    return {
      error: slip + u * (sumAbs + slip) + eta,
      peak: (1 + 4 * u) * (largest + lost + missed + slip),
      formula:
        'u S + (1 + u)(G + (n - 1) u (A + G)) + eta, A = n (u (1 + u)^n (S + n eta) + eta), G = u (1 + u) S + u (2 + u) A + 3 n eta',
      source,
    }
  }
  const lost = u * (n - 1) * (1 + (u * (n - 2)) / 2) * sumAbs
  const slip = (n - 2) * u * lost
  const error = slip + u * (sumAbs + slip)
  const peak = (1 + 4 * u) * (sumAbs * (1 + (n - 1) * u) + lost + slip)
  return { error, peak, formula: 'u S + (1 + u)(n - 2) u A, A = (n - 1) u (1 + (n - 2) u / 2) S', source }
}

/** Additions on the longest path from a term to a result. */
function depth(order: Order, n: number, running: boolean): number {
  if (n <= 1) return 0
  switch (order) {
    case 'pairwise':
      return Math.ceil(Math.log2(n))
    case 'associative':
      return running ? associativeScan(n) : associativeSum(n)
    case 'sequential':
    case 'kahan':
    case 'neumaier':
      return n - 1
    default:
      return rows(n, 'blocked' in order ? order.blocked : order.windowed, 'blocked' in order)
  }
}

function associativeScan(n: number): number {
  if (n <= 2) return n - 1
  return associativeScan(n >> 1) + 2
}

function associativeSum(n: number): number {
  if (n === 1) return 0
  return 1 + associativeSum(n >> 1) + (n % 2)
}

/** Blocked: inside a row, the rows before it, and the addition of both. Windowed: inside a window, then its total on. */
function rows(n: number, width: number, blocked: boolean): number {
  if (n <= width) return n - 1
  const totals = Math.ceil(n / width)
  return width - 1 + (blocked ? 1 + Math.max(0, rows(totals - 1, width, true)) : rows(totals, width, false))
}

const jeannerodRump = 'Jeannerod, Rump, Improved error bounds for inner products, doi:10.1137/120894488'
const higham =
  'Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2, doi:10.1137/1.9780898718027'
