import { leavesOf, mapTree, pathsOf, replaceLeaves, type Tree } from '../../tree/index.js'

/** The tree with an empty object in the place of every leaf that is not kept. */
export function select(tree: Tree, kept: readonly boolean[]): Tree {
  let next = 0
  return mapTree((leaf) => (kept[next++] ? leaf : {}), tree) as Tree
}

/** The tree with the kept leaves taken from `changed`, which `select` made smaller. */
export function merge(tree: Tree, kept: readonly boolean[], changed: Tree): Tree {
  const replaced = leavesOf(changed)
  let next = 0
  const leaves = pathsOf(tree).map(({ leaf }, i) => (kept[i] ? replaced[next++]! : leaf))
  return replaceLeaves(tree, leaves)
}
