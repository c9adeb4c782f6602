import { stopGradient } from '../../autodiff/index.js'
import {
  abs,
  cast,
  concat,
  div,
  equal,
  exp2,
  floor,
  full,
  isNaN as isNaNs,
  less,
  log2,
  logicalOr,
  max,
  reshape,
  sqrt,
  square,
  sum,
  type Tensor,
  where,
  zeros,
} from '../../tensor/index.js'
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

/** `scaledNorm` in tensor operations: float64 tensors of no axes. */
export function recordedNorm(tree: Treelike): {
  readonly scale: Tensor<'float64'>
  readonly root: Tensor<'float64'>
} {
  const leaves = leavesOf(tree)
  const flat = leaves.map((x) => reshape(cast(x, 'float64'), [x.size]))
  const elements = flat.length === 1 ? flat[0]! : concat(flat)
  const one = full([], 1, { dtype: 'float64' })
  const scale =
    elements.size > 0 && leaves.some(({ dtype }) => dtype === 'float64') ? recordedScale(elements) : one
  const total = sum(square(scale === one ? elements : div(elements, scale)), { order: 'sequential' })
  // The derivative of the root at 0 is infinite, and its product with 0 no number.
  const none = equal(total, 0)
  return { scale, root: where(none, total, sqrt(where(none, one, total))) }
}

/** A number that changes no result, so that no gradient goes through it. */
function recordedScale(elements: Tensor<'float64'>): Tensor<'float64'> {
  const sizes = abs(stopGradient(elements))
  const largest = max(where(isNaNs(sizes), zeros([], { dtype: 'float64' }), sizes))
  const exponent = log2(largest)
  const safe = logicalOr(
    logicalOr(equal(largest, 0), equal(largest, Number.POSITIVE_INFINITY)),
    less(abs(exponent), 400),
  )
  return where(safe, full([], 1, { dtype: 'float64' }), exp2(floor(exponent)))
}

function addSquares(values: Float32Array, start: number): number {
  let total = start
  for (let i = 0; i < values.length; i++) total += values[i]! * values[i]!
  return total
}
