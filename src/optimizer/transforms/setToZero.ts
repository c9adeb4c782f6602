import { zeroUpdates } from '../arithmetic/fullLike.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Updates of zeros, whatever comes in: what frozen parameters get, as `multiTransform({ train: ..., freeze: setToZero() }, labels)`.
 *
 * Special   NaN and Inf become +0 too.
 *
 * @example tree.leavesOf(setToZero().update([tensor([3])], {})[0])[0].item() // 0
 */
export function setToZero(): GradientTransformation<EmptyState> {
  return stateless(zeroUpdates)
}
