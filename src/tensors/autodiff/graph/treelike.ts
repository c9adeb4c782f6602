import type { Tree } from '../../tree/index.js'

/** A tree of tensors as a parameter of a function may be typed: an interface has no index signature, so not `Tree`. */
export type Treelike = Tree | object
