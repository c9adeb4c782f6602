import type { Treelike } from '../../tensors/tree/index.js'
import { allFinite } from '../arithmetic/allFinite.js'

/**
 * For the option `shouldSkip` of `multiSteps`: ignores gradients that are not all finite, as its option `skipNotFinite` does, which a compiled step
 * can have too.
 *
 * @example [skipNotFinite([tensor([1, NaN])]), skipNotFinite([tensor([1, 2])])] // [true, false]
 */
export function skipNotFinite(updates: Treelike): boolean {
  return !allFinite(updates)
}
