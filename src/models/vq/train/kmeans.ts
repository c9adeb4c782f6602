import {
  checkFunction,
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import { checkFloatDType, type FloatDType, Tensor, tensor } from '../../../tensors/tensor/index.js'
import { vectorsOf } from '../rows/assign.js'
import { nearest, type Vectors } from '../rows/nearest.js'
import { codebookOf, matrixOf } from '../rows/rowsOf.js'
import { checkWeights } from './checkWeights.js'
import {
  type ClusterSums,
  type EmptyRule,
  emptyRules,
  inertiaOf,
  moveToFarthest,
  splitLargest,
} from './emptyClusters.js'
import { kmeansPlusPlus } from './kmeansPlusPlus.js'

/** How rows are clustered. One of `init`, and `k` with a key, is needed. */
export interface KmeansOptions {
  /** How many codes, begun by k-means++ with 2 + floor(ln k) trials. */
  readonly k?: number
  /** Draws the codes to begin with. */
  readonly key?: Key
  /** The codes to begin with, [k, d]. */
  readonly init?: Tensor
  /** At most so many steps. Default 25. */
  readonly iterations?: number
  /** What each row counts, not negative. Default 1. */
  readonly weights?: ArrayLike<number>
  /** What becomes of a code that no row has. Default 'keep'. */
  readonly empty?: EmptyRule
  /** The dtype of the centroids, rounded to once, at the end. Default: that of x. */
  readonly dtype?: FloatDType
  /** Called after every step: how many are done, the inertia before it, and how many rows changed their code. */
  readonly onStep?: (step: number, inertia: number, moved: number) => void
}

/** What k-means found. */
export interface Kmeans {
  /** [k, d]. */
  readonly centroids: Tensor
  /** The codes of the rows by these centroids, [n]. */
  readonly codes: Tensor<'int32'>
  /** The sum of weight times squared distance at these codes. */
  readonly inertia: number
  /** The same by the centroids before each step. */
  readonly inertias: readonly number[]
  /** How many steps were taken. */
  readonly iterations: number
  /** Whether the last step changed no code, so that more steps would change nothing. */
  readonly settled: boolean
}

const names: OptionTable<KmeansOptions> = {
  ...{ k: 'optional', key: 'optional', init: 'optional', iterations: 'optional' },
  ...{ weights: 'optional', empty: 'optional', dtype: 'optional', onStep: 'optional' },
}

/**
 * Lloyd's k-means: rows take the nearest centroid, centroids the mean of their rows, until no row changes.
 *
 * Shape     x [n, d] -> centroids [k, d].
 * Dtype     any float; everything is computed in float64, and rounded once at the end.
 * Rounding  a centroid is (sum of w x) / (sum of w), both in the order of the rows; codes as `assign`.
 * Special   a code without rows follows the rule `empty`.
 * Throws    RangeError for more codes than rows, numbers that are not finite, weights that are negative.
 * Cost      2 n k d operations a step, as a matrix product in float32 where vectors have 6 numbers or more.
 * Source    Lloyd, doi:10.1109/TIT.1982.1056489
 *
 * @example kmeans(tensor([[0], [1], [10], [12]]), { init: tensor([[0], [1]]) }).centroids.toNested() // [[0.5], [11]]
 * @example kmeans(tensor([[1]]), { k: 2 }) // throws kmeans: more codes than rows [2 of 1]
 */
export function kmeans(x: Tensor, options: KmeansOptions): Kmeans {
  const { n, d } = matrixOf('kmeans', 'x', x)
  checkOptions('kmeans', options, names, { positional: 'k' })
  const { iterations = 25, empty = 'keep', weights, onStep }: KmeansOptions = options ?? noOptions
  const dtype = options?.dtype ?? x.dtype
  checkInteger('kmeans', 'iterations', iterations, 0)
  checkName('kmeans', 'empty', empty, emptyRules)
  checkFloatDType('kmeans', 'dtype', dtype)
  if (onStep !== undefined) checkFunction('kmeans', 'onStep', onStep)
  const own = weights === undefined ? undefined : checkWeights('kmeans', weights, n)
  const init = beginning(x, options ?? noOptions)
  const k = init.shape[0]!
  const rows = vectorsOf('kmeans', 'x', x)
  const start = vectorsOf('kmeans', 'init', init).values
  const run = lloyd(rows, { values: start, n: k, d }, { iterations, empty, weights: own, onStep })
  const centroids = tensor(run.centroids.values, { shape: [k, d], dtype })
  const last = nearest(rows, { values: centroids.toNumbers(), n: k, d }, 'euclidean')
  return {
    centroids,
    codes: new Tensor('int32', [n], last.codes),
    inertia: inertiaOf(last.costs, own),
    ...{ inertias: run.inertias, iterations: run.inertias.length, settled: run.settled },
  }
}

function beginning(x: Tensor, { k, key, init, weights }: KmeansOptions): Tensor {
  const [n, d] = x.shape as [number, number]
  if (init !== undefined) {
    const { k: own } = codebookOf('kmeans', init, d)
    if (k !== undefined && k !== own) throw new RangeError(`kmeans: init has not k codes [${own}, not ${k}]`)
    if (own > n) throw new RangeError(`kmeans: more codes than rows [${own} of ${n}]`)
    return init
  }
  if (k === undefined) throw new RangeError('kmeans: neither init nor k is given [no codes to begin with]')
  checkInteger('kmeans', 'k', k, 1)
  if (k > n) throw new RangeError(`kmeans: more codes than rows [${k} of ${n}]`)
  if (key === undefined) throw new RangeError(`kmeans: k without a key to draw the first codes by [${k}]`)
  const trials = 2 + Math.floor(Math.log(k))
  return kmeansPlusPlus(x, k, { key, trials, ...(weights && { weights }) }).codebook
}

interface Running {
  readonly iterations: number
  readonly empty: EmptyRule
  readonly weights: Float64Array | undefined
  readonly onStep: KmeansOptions['onStep']
}

function lloyd(x: Vectors, start: Vectors, { iterations, empty, weights, onStep }: Running) {
  let centroids = start
  let before: Int32Array | undefined
  const inertias: number[] = []
  let settled = false
  while (inertias.length < iterations && !settled) {
    const { codes, costs } = nearest(x, centroids, 'euclidean')
    const inertia = inertiaOf(costs, weights)
    const moved = before === undefined ? x.n : changed(before, codes)
    inertias.push(inertia)
    const totals = clusterSums(x, codes, weights, centroids.n)
    if (empty === 'farthest') moveToFarthest(x, codes, costs, weights, totals)
    const next = means(totals, centroids)
    if (empty === 'split') splitLargest(next.values, totals.counts, x.d)
    // The same codes have the same means, unless empty codes are moved about.
    settled = moved === 0 && same(next.values, centroids.values)
    ;[centroids, before] = [next, codes]
    onStep?.(inertias.length, inertia, moved)
  }
  return { centroids, inertias, settled }
}

function clusterSums(
  { values, d }: Vectors,
  codes: Int32Array,
  weights: Float64Array | undefined,
  k: number,
): ClusterSums {
  const sums = new Float64Array(k * d)
  const counts = new Float64Array(k)
  for (let i = 0; i < codes.length; i++) {
    const weight = weights?.[i] ?? 1
    const to = codes[i]! * d
    for (let j = 0; j < d; j++) sums[to + j]! += weight * values[i * d + j]!
    counts[codes[i]!]! += weight
  }
  return { sums, counts }
}

function means({ sums, counts }: ClusterSums, { values, n, d }: Vectors): Vectors {
  const next = values.slice()
  for (let code = 0; code < n; code++) {
    const count = counts[code]!
    if (!(count > 0)) continue
    for (let j = 0; j < d; j++) next[code * d + j] = sums[code * d + j]! / count
  }
  return { values: next, n, d }
}

function changed(before: Int32Array, now: Int32Array): number {
  let count = 0
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) count++
  return count
}

const same = (a: Float64Array, b: Float64Array): boolean => a.every((value, i) => value === b[i])
