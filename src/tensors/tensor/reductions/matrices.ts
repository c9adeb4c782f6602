import { broadcastShapes, broadcastStrides, offsetsOf, type Shape } from '../storage/shape.js'

/** The sizes of one product: m x k times k x n. */
export interface Sizes {
  readonly m: number
  readonly k: number
  readonly n: number
}

/** The products of a batch: result matrix i is that of the matrices that begin at startsA[i] and startsB[i]. */
export interface Matrices extends Sizes {
  readonly batch: Shape
  readonly startsA: Int32Array
  readonly startsB: Int32Array
}

/** How matmul pairs the matrices of two operands [..., m, k] and [..., k, n]. */
export function matricesOf(a: Shape, b: Shape): Matrices {
  const [m, k] = a.slice(-2) as [number, number]
  const n = b.at(-1)!
  const [batchA, batchB] = [a.slice(0, -2), b.slice(0, -2)]
  const batch = broadcastShapes('matmul', batchA, batchB)
  const starts = (own: Shape, matrix: number): Int32Array =>
    offsetsOf(
      batch,
      broadcastStrides(own, batch).map((stride) => stride * matrix),
    )
  return { m, k, n, batch, startsA: starts(batchA, m * k), startsB: starts(batchB, k * n) }
}
