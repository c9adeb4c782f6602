import { distance, type Vectors } from '../rows/nearest.js'

/**
 * What becomes of a code that no row has: 'keep', it stays where it is; 'farthest', it moves to the row with the greatest
 * squared distance from its own code, which leaves that code's sum, as scikit-learn does; 'split', it takes half of the code
 * with the most rows, the two moved apart by a 1024th as faiss does.
 */
export type EmptyRule = 'keep' | 'farthest' | 'split'

export const emptyRules: readonly EmptyRule[] = ['keep', 'farthest', 'split']

/** The sums of a step of k-means. */
export interface ClusterSums {
  /** [k, d]. */
  readonly sums: Float64Array
  /** The weight of each cluster, [k]. */
  readonly counts: Float64Array
}

/** Gives rows to empty clusters, the farthest first; rows on their codes are left there. */
export function moveToFarthest(
  x: Vectors,
  codes: Int32Array,
  costs: Float64Array,
  weights: Float64Array | undefined,
  { sums, counts }: ClusterSums,
): void {
  const { values, d } = x
  const taken = new Set<number>()
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] !== 0) continue
    const row = farthest(costs, weights, taken)
    if (row === undefined) return
    taken.add(row)
    const weight = weights?.[row] ?? 1
    const old = codes[row]!
    for (let j = 0; j < d; j++) {
      const part = values[row * d + j]! * weight
      sums[old * d + j]! -= part
      sums[code * d + j] = part
    }
    counts[old]! -= weight
    counts[code] = weight
  }
}

function farthest(
  costs: Float64Array,
  weights: Float64Array | undefined,
  taken: ReadonlySet<number>,
): number | undefined {
  let row: number | undefined
  let most = 0
  for (let i = 0; i < costs.length; i++) {
    if (costs[i]! > most && weights?.[i] !== 0 && !taken.has(i)) [row, most] = [i, costs[i]!]
  }
  return row
}

/** Splits the largest clusters into two halves, once centroids are known. */
export function splitLargest(centroids: Float64Array, counts: Float64Array, d: number): void {
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] !== 0) continue
    const largest = counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0))
    for (let j = 0; j < d; j++) {
      const value = centroids[largest * d + j]!
      const up = j % 2 === 0 ? 1 + 1 / 1024 : 1 - 1 / 1024
      centroids[code * d + j] = value * up
      centroids[largest * d + j] = value * (2 - up)
    }
    counts[code] = counts[largest]! / 2
    counts[largest]! /= 2
  }
}

/** The sum over rows of weight times squared distance from their codes. */
export function inertiaOf(costs: Float64Array, weights: Float64Array | undefined): number {
  let sum = 0
  for (let i = 0; i < costs.length; i++) sum += (weights?.[i] ?? 1) * costs[i]!
  return sum
}

/** The squared distance of every row from the code it has. */
export function costsOf(x: Vectors, codes: Int32Array, centroids: Float64Array): Float64Array {
  return Float64Array.from(codes, (code, i) => distance(x.values, i * x.d, centroids, code * x.d, x.d))
}
