import type { Tree } from '../tree/index.js'

/** True where a transform acts: a tree of booleans or a prefix of one, or a function that gives it. */
export type Mask = Tree<boolean> | ((tree: Tree) => Tree<boolean>)
