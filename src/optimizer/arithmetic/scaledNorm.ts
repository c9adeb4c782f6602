import { stopGradient } from '../../tensors/autodiff/index.js'
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
} from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { inDtype } from './operand.js'
import { areRecorded } from './recorded.js'

/**
 * The norm in float64 as a product of a power of two and a root, neither of which overflows: squares of narrower dtypes neither
 * overflow nor vanish there, so that only float64 leaves are scaled.
 */
export function scaledNorm(tree: Treelike): {
  readonly scale: Tensor<'float64'>
  readonly root: Tensor<'float64'>
} {
  const leaves = leavesOf(tree)
  const one = full([], 1, { dtype: 'float64' })
  const wide = leaves.some(({ dtype }) => dtype === 'float64')
  if (!wide && !areRecorded(...leaves)) {
    return { scale: one, root: full([], Math.sqrt(sumOfSquares(leaves)), { dtype: 'float64' }) }
  }
  const flat = leaves.map((x) => reshape(inDtype(x, 'float64'), [x.size])) as Tensor<'float64'>[]
  const elements = flat.length > 1 ? concat(flat) : (flat[0] ?? zeros([0], { dtype: 'float64' }))
  const scale = elements.size > 0 && wide ? scaleOf(elements) : one
  const total = sum(square(scale === one ? elements : div(elements, scale)), { order: 'sequential' })
  // The derivative of the root at 0 is infinite, and its product with 0 no number.
  const none = equal(total, 0)
  return { scale, root: where(none, total, sqrt(where(none, one, total))) }
}

/** The sum in float64 of the squares of narrower leaves, in index order, NaN left out where it is zeroed: one pass in place of four. */
export function sumOfSquares(leaves: readonly Tensor[], zeroNans = false): number {
  let total = 0
  for (const leaf of leaves) {
    const values = cast(leaf, 'float32').data
    for (let i = 0; i < values.length; i++) {
      const x = values[i]!
      if (!(zeroNans && Number.isNaN(x))) total += x * x
    }
  }
  return total
}

/** A power of two near the largest magnitude, 1 where squares are safe without. It changes no result, so that no gradient goes through it. */
function scaleOf(elements: Tensor<'float64'>): Tensor<'float64'> {
  const sizes = abs(stopGradient(elements))
  const largest = max(where(isNaNs(sizes), zeros([], { dtype: 'float64' }), sizes))
  const exponent = log2(largest)
  const safe = logicalOr(
    logicalOr(equal(largest, 0), equal(largest, Number.POSITIVE_INFINITY)),
    less(abs(exponent), 400),
  )
  return where(safe, full([], 1, { dtype: 'float64' }), exp2(floor(exponent)))
}
