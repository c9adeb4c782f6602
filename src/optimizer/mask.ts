import type { Treelike } from '../tensors/tree/index.js'

/**
 * True where a transform acts: a tree of booleans or a prefix of one, or a function of the parameters that gives it, whose
 * own parameter may have the type of the parameters.
 */
export type Mask =
  | Treelike<boolean>
  | {
      /** The mask of these parameters. */
      of(tree: Treelike): Treelike<boolean>
    }['of']
