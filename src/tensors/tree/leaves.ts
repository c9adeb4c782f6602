import { checkArray, checkFunction } from '../../base/options/index.js'
import type { Tensor } from '../tensor/index.js'
import { checkTreeOptions } from './checkTreeOptions.js'
import { rebuild } from './rebuild.js'
import {
  childOf,
  isLeaf,
  keysOf,
  kindOf,
  notATree,
  pathTo,
  type Treelike,
  type TreeOptions,
  type TreeWith,
} from './tree.js'

/** A leaf and where it is: `layers.0.kernel`; a leaf that is the whole tree has the path ''. */
export interface PathAndLeaf<T = Tensor> {
  readonly path: string
  readonly leaf: T
}

/**
 * The leaves with their paths, depth first, keys sorted.
 *
 * @example pathsOf({ b: tensor(2), a: [tensor(1)] }).map((x) => x.path) // ['a.0', 'b']
 */
export function pathsOf<T = Tensor, P extends Treelike<T> = Treelike<T>>(
  tree: P,
  options: TreeOptions<T> = {},
): PathAndLeaf<T>[] {
  return collect('pathsOf', tree, options)
}

/**
 * The leaves, depth first, keys sorted.
 *
 * @example leavesOf({ b: tensor(2), a: tensor(1) }).map((x) => x.item()) // [1, 2]
 */
export function leavesOf<T = Tensor, P extends Treelike<T> = Treelike<T>>(
  tree: P,
  options: TreeOptions<T> = {},
): T[] {
  return collect('leavesOf', tree, options).map(({ leaf }) => leaf)
}

/**
 * What is left after `state = f(state, leaf, path)` over all leaves, depth first, keys sorted.
 *
 * @example foldTree((n, x) => n + x.size, 0, { a: zeros([2, 3]), b: zeros([4]) }) // 10
 */
export function foldTree<S, T = Tensor, P extends Treelike<T> = Treelike<T>>(
  f: (state: S, leaf: T, path: string) => S,
  initial: S,
  tree: P,
  options: TreeOptions<T> = {},
): S {
  checkFunction('foldTree', 'f', f)
  return collect('foldTree', tree, options).reduce((state, { leaf, path }) => f(state, leaf, path), initial)
}

/**
 * A tree of the same structure with other leaves, given in the order of `leavesOf`.
 *
 * @example replaceLeaves({ b: tensor(2), a: tensor(1) }, ['x', 'y']) // { a: 'x', b: 'y' }
 */
export function replaceLeaves<R, P extends Treelike<T>, T = Tensor>(
  tree: P,
  leaves: readonly R[],
  options: TreeOptions<T> = {},
): TreeWith<P, R, T> {
  checkArray('replaceLeaves', 'leaves', leaves)
  const count = collect('replaceLeaves', tree, options).length
  if (count !== leaves.length) {
    throw new RangeError(`${options.op ?? 'replaceLeaves'}: the tree has ${count} leaves [${leaves.length}]`)
  }
  let next = 0
  return rebuild(options.isLeaf ?? isLeaf, () => leaves[next++]!, tree, []) as TreeWith<P, R, T>
}

function collect<T>(op: string, tree: unknown, options: TreeOptions<T>): PathAndLeaf<T>[] {
  checkTreeOptions(op, options)
  const isThisLeaf: (value: unknown) => boolean = options.isLeaf ?? isLeaf
  const found: PathAndLeaf<T>[] = []
  const visit = (path: string, node: unknown): void => {
    const kind = kindOf(node, isThisLeaf)
    if (!kind) throw notATree(options.op ?? op, node, path)
    if (kind === 'leaf') found.push({ path, leaf: node as T })
    else for (const key of keysOf(node as object)) visit(pathTo(path, key), childOf(node as object, key))
  }
  visit('', tree)
  return found
}
