import { leavesOf, pathsOf, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'

/** The tree with an empty object in the place of every leaf that is not kept. */
export function select(tree: Treelike, kept: readonly boolean[]): Tree {
  const leaves = leavesOf(tree).map((leaf, i) => (kept[i] ? leaf : {}))
  return replaceLeaves(tree, leaves) as Tree
}

/** The tree with the kept leaves taken from `changed`, which `select` made smaller. */
export function merge<P extends Treelike>(tree: P, kept: readonly boolean[], changed: Tree): P {
  const replaced = leavesOf(changed)
  let next = 0
  const leaves = pathsOf(tree).map(({ leaf }, i) => (kept[i] ? replaced[next++]! : leaf))
  return replaceLeaves(tree, leaves)
}
