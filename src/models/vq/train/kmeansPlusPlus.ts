import {
  checkArray,
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { type Key, uniform } from '../../../tensors/random/index.js'
import { type Tensor, take, tensor } from '../../../tensors/tensor/index.js'
import { vectorsOf } from '../rows/assign.js'
import { distance, type Vectors } from '../rows/nearest.js'
import { matrixOf } from '../rows/rowsOf.js'
import { checkWeights } from './checkWeights.js'

/** The random source: a key, or given uniform numbers. */
export interface KmeansPlusPlusOptions {
  /** Draws `first` and `uniforms`. One of key and uniforms is needed. */
  readonly key?: Key
  /** From 0 up to 1: the first row is floor(first n). Default: of a key its draw, else 0. */
  readonly first?: number
  /** From 0 up to 1, [(k - 1) trials], those of a code together. */
  readonly uniforms?: ArrayLike<number>
  /** Candidates for each code, of which the one that leaves the least potential is kept. Default 1; scikit-learn has 2 + floor(ln k). */
  readonly trials?: number
  /** What each row counts, not negative. Default 1. */
  readonly weights?: ArrayLike<number>
}

/** Rows to begin with. */
export interface KmeansPlusPlus {
  /** Which rows, [k]. */
  readonly rows: Tensor<'int32'>
  /** The rows themselves, [k, d]. */
  readonly codebook: Tensor
  /** The sum of squared distances to the nearest chosen row, after each choice, [k]. */
  readonly potential: Float64Array
}

const names: OptionTable<KmeansPlusPlusOptions> = {
  ...{ key: 'optional', first: 'optional', uniforms: 'optional', trials: 'optional', weights: 'optional' },
}

/**
 * Rows far from each other to begin k-means with: each drawn with a chance in proportion to its squared distance from the
 * nearest one chosen before. The draw u takes the first row whose running sum is above u times the total, so that a row of no
 * distance is never drawn, while there is another.
 *
 * Shape     x [n, d].
 * Rounding  float64; sums in the order of the rows.
 * Special   of several trials the first of those that leave the least; where all rows are chosen already, the last row.
 * Throws    RangeError for more codes than rows, draws outside 0 to 1 or too few of them.
 * Cost      3 n d k trials operations.
 * Source    Arthur, Vassilvitskii, k-means++, SODA 2007; trials as scikit-learn
 *
 * @example kmeansPlusPlus(tensor([[0], [1], [9]]), 2, { uniforms: [0.5] }).rows.toNested() // [0, 2]
 */
export function kmeansPlusPlus(
  x: Tensor,
  k: number,
  options: KmeansPlusPlusOptions = noOptions,
): KmeansPlusPlus {
  const { n } = matrixOf('kmeansPlusPlus', 'x', x)
  checkInteger('kmeansPlusPlus', 'k', k, 1)
  if (k > n) throw new RangeError(`kmeansPlusPlus: more codes than rows [${k} of ${n}]`)
  checkOptions('kmeansPlusPlus', options, names, { positional: 'key' })
  const { trials = 1, weights } = options
  checkInteger('kmeansPlusPlus', 'trials', trials, 1)
  const own = weights === undefined ? undefined : checkWeights('kmeansPlusPlus', weights, n)
  const draws = drawsOf(options, (k - 1) * trials)
  const { rows, potential } = chosenRows(vectorsOf('kmeansPlusPlus', 'x', x), k, {
    ...draws,
    trials,
    weights: own,
  })
  const places = tensor(rows, { dtype: 'int32' })
  return { rows: places, codebook: take(x, places, { axis: 0 }), potential }
}

interface Draws {
  readonly first: number
  readonly uniforms: ArrayLike<number>
}

function drawsOf({ key, first, uniforms }: KmeansPlusPlusOptions, count: number): Draws {
  const op = 'kmeansPlusPlus'
  if (key === undefined && uniforms === undefined && count > 0) {
    throw new RangeError(`${op}: neither a key nor uniforms to draw rows by [none]`)
  }
  const drawn = key === undefined ? undefined : uniform(key, count + 1)
  const all = uniforms ?? drawn?.subarray(1) ?? []
  checkArray(op, 'uniforms', all)
  if (all.length < count) throw new RangeError(`${op}: needs ${count} uniforms [${all.length}]`)
  for (let i = 0; i < count; i++) checkUnit('uniforms', all[i])
  const start = first ?? drawn?.[0] ?? 0
  checkUnit('first', start)
  return { first: start, uniforms: all }
}

function checkUnit(what: string, value: unknown): void {
  checkNumber('kmeansPlusPlus', what, value, 0, 1)
  if (value === 1) throw new RangeError(`kmeansPlusPlus: ${what} is not below 1 [1]`)
}

interface Choosing extends Draws {
  readonly trials: number
  readonly weights: Float64Array | undefined
}

function chosenRows(
  x: Vectors,
  k: number,
  { first, uniforms, trials, weights }: Choosing,
): { rows: Int32Array; potential: Float64Array } {
  const rows = new Int32Array(k)
  const potential = new Float64Array(k)
  rows[0] = Math.floor(first * x.n)
  let left = new Float64Array(x.n).fill(Infinity)
  let tried = new Float64Array(x.n)
  let best = new Float64Array(x.n)
  potential[0] = approach(x, rows[0], left, weights, best)
  ;[left, best] = [best, left]
  for (let j = 1; j < k; j++) {
    const sums = runningSums(left)
    let least = Infinity
    for (let trial = 0; trial < trials; trial++) {
      const row = firstAbove(sums, uniforms[(j - 1) * trials + trial]!)
      const sum = approach(x, row, left, weights, tried)
      if (!(sum < least)) continue
      least = sum
      rows[j] = row
      ;[tried, best] = [best, tried]
    }
    potential[j] = least
    ;[left, best] = [best, left]
  }
  return { rows, potential }
}

/** The weights after one more row was chosen, into `out`; their sum. */
function approach(
  { values, n, d }: Vectors,
  row: number,
  left: Float64Array,
  weights: Float64Array | undefined,
  out: Float64Array,
): number {
  let sum = 0
  const first = values[row * d]!
  for (let i = 0; i < n; i++) {
    let less = left[i]!
    // Where the first number alone is as far away, the distance is.
    const t = values[i * d]! - first
    const weight = weights === undefined ? 1 : weights[i]!
    if (t * t * weight < less) {
      const near = distance(values, i * d, values, row * d, d) * weight
      if (near < less) less = near
    }
    out[i] = less
    sum += less
  }
  return sum
}

function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length)
  let sum = 0
  for (let i = 0; i < values.length; i++) {
    sum += values[i]!
    sums[i] = sum
  }
  return sums
}

/** The first place whose running sum is above u times the total. */
function firstAbove(sums: Float64Array, u: number): number {
  const target = u * sums[sums.length - 1]!
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sums[middle]! > target) high = middle
    else low = middle + 1
  }
  return low
}
