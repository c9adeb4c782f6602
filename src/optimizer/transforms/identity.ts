import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Updates as they are: what a chain has where a link is left out.
 *
 * @example tree.leavesOf(identity().update([tensor([3])], {})[0])[0].item() // 3
 */
export function identity(): GradientTransformation<EmptyState> {
  return stateless((updates) => updates)
}
