import { matmulFloat32 } from '../../../numbers/simd/index.js'

/** How codes are compared: the least squared distance, the greatest product, the greatest cosine. */
export type Metric = 'euclidean' | 'dot' | 'cosine'

export const metrics: readonly Metric[] = ['euclidean', 'dot', 'cosine']

/** Rows of vectors in float64. */
export interface Vectors {
  readonly values: Float64Array
  readonly n: number
  readonly d: number
}

/** Codes, and how good each is: the squared distance, or minus the product or cosine. */
export interface Nearest {
  readonly codes: Int32Array
  readonly costs: Float64Array
}

/**
 * The best code of every row in float64: the first of equals. A cost is a running sum over a vector's numbers, ascending.
 * Where vectors are long a product in float32 leaves a few codes to compare; its error is bounded, so that the best is
 * always among them and the answer is that of comparing all. Short vectors are compared with codes in the order of their
 * first numbers, from the nearest on, until that number alone is farther away than the best.
 */
export function nearest(x: Vectors, codebook: Vectors, metric: Metric): Nearest {
  const [rows, codes] = metric === 'cosine' ? [unit(x), unit(codebook)] : [x, codebook]
  const found: Nearest = { codes: new Int32Array(x.n), costs: new Float64Array(x.n) }
  const work = x.n * codebook.n * x.d
  if (x.d >= 6 && codebook.n >= 8 && work >= 2 ** 14) filtered(rows, codes, metric, found)
  else if (metric === 'euclidean' && codebook.n >= 8 && work >= 2 ** 14) outward(rows, codes, found)
  else for (let i = 0; i < x.n; i++) compareAll(rows, codes, metric, i, found)
  return found
}

function compareAll(x: Vectors, c: Vectors, metric: Metric, row: number, found: Nearest): void {
  const { d } = x
  const cost = metric === 'euclidean' ? distance : product
  let best = 0
  let least = cost(x.values, row * d, c.values, 0, d)
  for (let code = 1; code < c.n; code++) {
    const candidate = cost(x.values, row * d, c.values, code * d, d)
    if (candidate < least) [best, least] = [code, candidate]
  }
  found.codes[row] = best
  found.costs[row] = least
}

/**
 * Squared distances in the order of the codes' first numbers. Rounding keeps the order of numbers, and a running sum of squares
 * never falls: so a code whose first number alone is farther away than the best whole distance is not the best, and neither are
 * those beyond it. Of equal distances the code that comes first in the codebook is kept, as in `compareAll`.
 */
function outward(x: Vectors, c: Vectors, found: Nearest): void {
  const { n, d } = x
  const k = c.n
  const order = Int32Array.from({ length: k }, (_, code) => code)
  order.sort((a, b) => c.values[a * d]! - c.values[b * d]!)
  const first = Float64Array.from(order, (code) => c.values[code * d]!)
  const sorted = new Float64Array(k * d)
  for (const [i, code] of order.entries()) sorted.set(c.values.subarray(code * d, (code + 1) * d), i * d)
  for (let row = 0; row < n; row++) {
    const from = row * d
    const value = x.values[from]!
    let [right, end] = [0, k]
    while (right < end) {
      const middle = (right + end) >>> 1
      if (first[middle]! < value) right = middle + 1
      else end = middle
    }
    let left = right - 1
    let [best, least] = [k, Infinity]
    let t = left >= 0 ? value - first[left]! : Infinity
    let below = t * t
    t = right < k ? value - first[right]! : Infinity
    let above = t * t
    for (;;) {
      const goesLeft = left >= 0 && (right >= k || below < above)
      if (!goesLeft && right >= k) break
      let sum = goesLeft ? below : above
      if (sum > least) break
      const place = goesLeft ? left : right
      const at = place * d
      for (let j = 1; j < d; j++) {
        t = x.values[from + j]! - sorted[at + j]!
        sum += t * t
      }
      if (sum < least || (sum === least && order[place]! < best)) [best, least] = [order[place]!, sum]
      if (goesLeft) {
        left--
        t = left >= 0 ? value - first[left]! : Infinity
        below = t * t
      } else {
        right++
        t = right < k ? value - first[right]! : Infinity
        above = t * t
      }
    }
    found.codes[row] = best
    found.costs[row] = least
  }
}

/** The squared distance of two vectors, a running sum. */
export function distance(x: Float64Array, from: number, c: Float64Array, at: number, d: number): number {
  let sum = 0
  for (let j = 0; j < d; j++) {
    const t = x[from + j]! - c[at + j]!
    sum += t * t
  }
  return sum
}

function product(x: Float64Array, from: number, c: Float64Array, at: number, d: number): number {
  let sum = 0
  for (let j = 0; j < d; j++) sum += x[from + j]! * c[at + j]!
  return -sum
}

/** Rows over their norms; a row of zeros stays one. Scaled by a power of two first, so that no square is lost. */
export function unit({ values, n, d }: Vectors): Vectors {
  const out = new Float64Array(values.length)
  for (let i = 0; i < n; i++) {
    let most = 0
    for (let j = 0; j < d; j++) most = Math.max(most, Math.abs(values[i * d + j]!))
    if (most === 0) continue
    const scale = 2 ** -Math.max(Math.floor(Math.log2(most)), -1000)
    let sum = 0
    for (let j = 0; j < d; j++) sum += (values[i * d + j]! * scale) ** 2
    const norm = Math.sqrt(sum)
    for (let j = 0; j < d; j++) out[i * d + j] = (values[i * d + j]! * scale) / norm
  }
  return { values: out, n, d }
}

/** How many numbers of the product are kept at a time. */
const blockNumbers = 2 ** 16

function filtered(x: Vectors, c: Vectors, metric: Metric, found: Nearest): void {
  const { n, d } = x
  const k = c.n
  const centred = metric === 'euclidean'
  const centre = centred ? meanOf(c) : new Float64Array(d)
  const { table, halves, longest, scale } = narrowed(c, centre, centred)
  const height = Math.max(1, Math.min(n, Math.floor(blockNumbers / Math.max(k, d))))
  const block = new Float32Array(height * d)
  const scores = new Float32Array(height * k)
  // A product of d numbers, each rounded on the way into float32: (d + 2) 2^-24 of |x| |c|. More than twice that.
  const u = 2 ** -23 * (d + 4)
  const norm = new Float64Array(height)
  const row = new Float64Array(k)
  for (let from = 0; from < n; from += height) {
    const rows = Math.min(height, n - from)
    for (let i = 0; i < rows; i++) {
      let sum = 0
      for (let j = 0; j < d; j++) {
        const value = (x.values[(from + i) * d + j]! - centre[j]!) * scale
        block[i * d + j] = value
        sum += value * value
      }
      norm[i] = Math.sqrt(sum)
    }
    matmulFloat32(block.subarray(0, rows * d), table, { m: rows, k: d, n: k }, scores.subarray(0, rows * k))
    for (let i = 0; i < rows; i++) {
      // Past float32's range nothing can be said.
      if (!(norm[i]! < 2 ** 60)) {
        compareAll(x, c, metric, from + i, found)
        continue
      }
      // Both scores may be off, by what float32 rounds; then what float64 rounds of a cost, and products too small for float32.
      const slack = 2 * u * norm[i]! * longest
      const noise = (d + 8) * 2 ** -51 * (norm[i]! + longest) ** 2 + d * 2 ** -140
      survivors(x, c, metric, from + i, { scores, at: i * k, halves, slack: slack + noise, row }, found)
    }
  }
}

interface Scored {
  readonly scores: Float32Array
  readonly at: number
  readonly halves: Float64Array
  readonly slack: number
  /** Room for the scores of a row. */
  readonly row: Float64Array
}

/** Compares the codes that the product leaves: those whose score is within the slack of the least. */
function survivors(
  x: Vectors,
  c: Vectors,
  metric: Metric,
  place: number,
  scored: Scored,
  found: Nearest,
): void {
  const { scores, at, halves, slack, row } = scored
  const k = c.n
  let least = Infinity
  for (let code = 0; code < k; code++) {
    const score = halves[code]! - scores[at + code]!
    row[code] = score
    if (score < least) least = score
  }
  const { d } = x
  const cost = metric === 'euclidean' ? distance : product
  const limit = least + slack
  let best = -1
  let lowest = Infinity
  for (let code = 0; code < k; code++) {
    if (row[code]! > limit) continue
    const candidate = cost(x.values, place * d, c.values, code * d, d)
    if (candidate < lowest || best < 0) [best, lowest] = [code, candidate]
  }
  found.codes[place] = best
  found.costs[place] = lowest
}

interface Narrowed {
  /** The codebook, transposed, [d, k]. */
  readonly table: Float32Array
  /** Half of each code's squared norm; 0 where products are compared. */
  readonly halves: Float64Array
  /** The greatest norm of a code. */
  readonly longest: number
  /** The power of two that brings the largest number near 1. */
  readonly scale: number
}

function narrowed({ values, n, d }: Vectors, centre: Float64Array, squares: boolean): Narrowed {
  let most = 0
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]! - centre[i % d]!))
  const scale = most === 0 ? 1 : 2 ** -Math.max(-1000, Math.min(1000, Math.floor(Math.log2(most))))
  const table = new Float32Array(n * d)
  const halves = new Float64Array(n)
  let longest = 0
  for (let code = 0; code < n; code++) {
    let sum = 0
    for (let j = 0; j < d; j++) {
      const value = (values[code * d + j]! - centre[j]!) * scale
      table[j * n + code] = value
      sum += value * value
    }
    if (squares) halves[code] = sum / 2
    longest = Math.max(longest, Math.sqrt(sum))
  }
  return { table, halves, longest, scale }
}

function meanOf({ values, n, d }: Vectors): Float64Array {
  const mean = new Float64Array(d)
  for (let i = 0; i < values.length; i++) mean[i % d]! += values[i]! / n
  return mean
}
