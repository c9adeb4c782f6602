import { leavesOf, replaceLeaves, type Treelike } from '../../tensors/tree/index.js'
import { checkTransformation } from '../checkTransformation.js'
import type { Mask } from '../mask.js'
import type { GradientTransformation } from '../transformation.js'
import { keptLeaves } from '../wrappers/keptLeaves.js'
import { type MaskedState, masked } from '../wrappers/masked.js'
import { type MultiTransformState, multiTransform } from '../wrappers/multiTransform.js'
import { setToZero } from './setToZero.js'

/**
 * Zero updates where the mask is true: parameters that stay as they are. The others pass.
 *
 * @example tree.leavesOf(freeze([true, false]).update([tensor(1), tensor(1)], { inner: {} })[0]).map((x) => x.item()) // [0, 1]
 */
export function freeze(mask: Mask): GradientTransformation<MaskedState> {
  return masked(setToZero(), mask)
}

/**
 * An optimizer for the parameters where the mask is false; those where it is true stay as they are and have no state.
 *
 * @example tree.leavesOf(selectiveTransform(scale(2), [true, false]).update([tensor(1), tensor(1)], { freeze: {}, train: {} })[0]).map((x) => x.item()) // [0, 2]
 */
export function selectiveTransform(
  optimizer: GradientTransformation,
  freezeMask: Mask,
): GradientTransformation<MultiTransformState> {
  checkTransformation('selectiveTransform', 'the optimizer', optimizer)
  const labels = (tree: Treelike): Treelike<string> => {
    const frozen = keptLeaves('selectiveTransform', freezeMask, tree)
    return replaceLeaves(
      tree,
      leavesOf(tree).map((_, i) => (frozen[i] ? 'freeze' : 'train')),
    ) as Treelike<string>
  }
  return multiTransform({ train: optimizer, freeze: setToZero() }, labels)
}
