import type { BigStorage } from '../storage/dtype.js'
import { type Lanes, placeIn } from './lanes.js'
import type { Sizes } from './matrices.js'

// 64-bit integers: sums and products that wrap are the same in every order, so one serves for all.

/** The sum of every lane. */
export function bigSums(values: BigStorage, lanes: Lanes, out: BigStorage): void {
  const { starts, length } = lanes
  for (let k = 0; k < starts.length; k++) {
    let total = 0n
    for (let i = 0; i < length; i++) total += values[starts[k]! + placeIn(lanes, i)]!
    out[k] = total
  }
}

/** The running sums or products of every lane. */
export function bigScan(values: BigStorage, lanes: Lanes, product: boolean, out: BigStorage): void {
  const { starts, length } = lanes
  for (const start of starts) {
    let last = product ? 1n : 0n
    for (let i = 0; i < length; i++) {
      const at = start + placeIn(lanes, i)
      out[at] = product ? last * values[at]! : last + values[at]!
      last = out[at]!
    }
  }
}

/** The product of the matrices that start at given places, into the one that starts at `to`. */
export function bigProduct(
  a: BigStorage,
  fromA: number,
  b: BigStorage,
  fromB: number,
  { m, k, n }: Sizes,
  out: BigStorage,
  to: number,
): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let total = 0n
      for (let p = 0; p < k; p++) total += a[fromA + i * k + p]! * b[fromB + p * n + j]!
      out[to + i * n + j] = total
    }
  }
}
