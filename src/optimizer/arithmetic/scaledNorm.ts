import { leavesOf, type Treelike } from '../../tree/index.js'
import { type Decoded, decodedOf } from './decoded.js'

/** The norm in float64 as a product of a power of two and a root, neither of which overflows. */
export function scaledNorm(
  tree: Treelike,
  zeroNans = false,
): { readonly scale: number; readonly root: number } {
  const leaves = leavesOf(tree).map(decodedOf)
  // Squares of float32 neither overflow nor vanish in float64: only float64 leaves need scaling.
  const scale = leaves.some(({ dtype }) => dtype === 'float64') ? scaleOf(leaves) : 1
  let total = 0
  for (const { values } of leaves) {
    if (values instanceof Float32Array && !zeroNans) {
      total = addSquares(values, total)
    } else {
      for (const x of values) {
        const y = zeroNans && Number.isNaN(x) ? 0 : x / scale
        total += y * y
      }
    }
  }
  return { scale, root: Math.sqrt(total) }
}

/** A power of two near the largest magnitude, 1 where squares are safe without. */
function scaleOf(leaves: readonly Decoded[]): number {
  let largest = 0
  for (const { values } of leaves) {
    for (const x of values) largest = Math.abs(x) > largest ? Math.abs(x) : largest
  }
  const safe = largest === 0 || largest === Number.POSITIVE_INFINITY || Math.abs(Math.log2(largest)) < 400
  return safe ? 1 : 2 ** Math.floor(Math.log2(largest))
}

function addSquares(values: Float32Array, start: number): number {
  let total = start
  for (let i = 0; i < values.length; i++) total += values[i]! * values[i]!
  return total
}
