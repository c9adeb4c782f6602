// Nested objects and arrays of tensors, as models keep their parameters. Read tree.ts first, then mapTree.ts. Keys are
// walked in sorted order, as JAX does; a difference between two trees is named by the first path where they differ.
export {
  isLeaf,
  type LeafOf,
  type OfTensors,
  type Replaced,
  type Tree,
  type Treelike,
  type TreeOptions,
  type TreeWith,
} from './tree.js'
export { mapTree, mapTreeWith, mapTreeWithPath } from './mapTree.js'
export { foldTree, leavesOf, type PathAndLeaf, pathsOf, replaceLeaves } from './leaves.js'
export { checkSameTree } from './checkSameTree.js'
export { treeFromPaths } from './treeFromPaths.js'
