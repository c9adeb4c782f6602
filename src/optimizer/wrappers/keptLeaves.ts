import type { Treelike } from '../../tensors/tree/index.js'
import { prefixLeaves } from '../arithmetic/prefixLeaves.js'
import type { Mask } from '../mask.js'

/** The mask of every leaf, in the order of `leavesOf`. */
export function keptLeaves(op: string, mask: Mask, tree: Treelike): boolean[] {
  return prefixLeaves(op, typeof mask === 'function' ? mask(tree) : mask, tree, isBoolean)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
