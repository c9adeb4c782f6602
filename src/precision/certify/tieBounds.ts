import { broadcastPlaces, lanesRead } from '../../tensors/tensor/index.js'
import type { ExtremumTie } from '../program/extremumTie.js'
import type { Bounded } from './sumBounds.js'
import { apart, boundOf, up } from './upward.js'

/**
 * Which elements are the extremum of their lane: certain where one alone can be, and of all that cannot; open, 1, of those
 * between which the errors decide; Infinity in a lane with an element of which nothing is known.
 */
export function tieBounds({ sign, axes }: ExtremumTie, x: Bounded, result: Bounded): void {
  const { lanes, length, at } = lanesRead(x.shape, axes)
  for (let k = 0; k < lanes; k++) {
    const lane = at.subarray(k * length, (k + 1) * length)
    let [floor, exact, known] = [-Infinity, true, true]
    for (const i of lane) {
      floor = Math.max(floor, sign * x.values[i]! - up(x.bounds[i]!))
      exact &&= x.bounds[i] === 0
      known &&= x.bounds[i]! < Infinity && !Number.isNaN(x.values[i])
    }
    if (exact) continue
    // Whatever cannot reach the best lower end, roundings of this comparison included, is not the extremum.
    const reaching = lane.filter((i) => {
      const top = sign * x.values[i]! + up(x.bounds[i]!)
      return !(top + Math.abs(top) * 2 ** -50 < floor - Math.abs(floor) * 2 ** -50)
    })
    if (!known) for (const i of lane) result.bounds[i] = Infinity
    else if (reaching.length > 1) for (const i of reaching) result.bounds[i] = 1
  }
}

/**
 * The shares of elements that may tie: each gets its part of the exact total, which is anything from nothing to all of it.
 * `open` are the bounds of the tie, `result` is filled in already for the elements that are certain.
 */
export function sharedBounds(open: Bounded, total: Bounded, result: Bounded): void {
  const places = broadcastPlaces(total.shape, result.shape)
  for (let i = 0; i < result.values.length; i++) {
    if (open.bounds[i] !== 1) continue
    const at = places?.[i] ?? i
    const [c, e, r] = [total.values[at]!, up(total.bounds[at]!), result.values[i]!]
    result.bounds[i] = boundOf(up(Math.max(Math.abs(r), apart(c - e, r), apart(c + e, r))))
  }
}
