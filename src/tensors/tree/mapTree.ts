import { checkFunction } from '../../base/options/index.js'
import type { Tensor } from '../tensor/index.js'
import { checkSameTree } from './checkSameTree.js'
import { checkTreeOptions } from './checkTreeOptions.js'
import { rebuild } from './rebuild.js'
import { isLeaf, type LeafOf, type Tree, type Treelike, type TreeOptions, type TreeWith } from './tree.js'

/** What `f` gets of the further trees: a leaf of each. */
type Leaves<Q extends readonly unknown[]> = { readonly [K in keyof Q]: LeafOf<Q[K]> }

/**
 * The tree of `f(leaf, ...)` over the tensors of a tree, keys sorted, typed as the tree was where `f` gives tensors. Further trees must have its structure and give
 * `f` its further arguments: their leaves may be of another kind, such as a mask's booleans. Everything is compared
 * before `f` is called for the first time.
 *
 * @example mapTree((x) => x.item(), { b: tensor(2), a: [tensor(1)] }) // { a: [1], b: 2 }
 * @example mapTree((p, g) => add(p, g).item(), [tensor(1)], [tensor(2)]) // [3]
 * @example mapTree((x) => x, { a: null }) // throws mapTree: not a leaf, array or plain object at a [null]
 */
export function mapTree<R, P extends Treelike, Q extends readonly unknown[] = []>(
  f: (leaf: Tensor, ...others: Leaves<Q>) => R,
  tree: P,
  ...others: Q
): TreeWith<P, R> {
  checkFunction('mapTree', 'f', f)
  return map(
    'mapTree',
    isLeaf,
    (_, leaf, rest) => f(leaf as Tensor, ...(rest as Leaves<Q>)),
    tree,
    others,
  ) as TreeWith<P, R>
}

/**
 * `mapTree` whose `f` gets the path of the leaf first.
 *
 * @example mapTreeWithPath((path) => path, { layers: [{ bias: tensor(0) }] }) // { layers: [{ bias: 'layers.0.bias' }] }
 */
export function mapTreeWithPath<R, P extends Treelike, Q extends readonly unknown[] = []>(
  f: (path: string, leaf: Tensor, ...others: Leaves<Q>) => R,
  tree: P,
  ...others: Q
): TreeWith<P, R> {
  checkFunction('mapTreeWithPath', 'f', f)
  return map(
    'mapTreeWithPath',
    isLeaf,
    (path, leaf, rest) => f(path, leaf as Tensor, ...(rest as Leaves<Q>)),
    tree,
    others,
  ) as TreeWith<P, R>
}

/**
 * `mapTree` over leaves of any kind, or under another name in its errors.
 *
 * @example mapTreeWith({ isLeaf: (x) => typeof x === 'number' }, (x) => 2 * x, { a: [1, 2] }) // { a: [2, 4] }
 */
export function mapTreeWith<
  T = Tensor,
  R = unknown,
  P extends Treelike<T> = Tree<T>,
  Q extends readonly unknown[] = [],
>(
  options: TreeOptions<T>,
  f: (leaf: T, ...others: Leaves<Q>) => R,
  tree: P,
  ...others: Q
): TreeWith<P, R, T> {
  checkFunction('mapTreeWith', 'f', f)
  const { op = 'mapTreeWith', isLeaf: ends = isLeaf } = checkTreeOptions(
    'mapTreeWith',
    options === undefined ? {} : options,
  )
  return map(op, ends, (_, leaf, rest) => f(leaf as T, ...(rest as Leaves<Q>)), tree, others) as TreeWith<
    P,
    R,
    T
  >
}

function map<R>(
  op: string,
  isLeaf: (value: unknown) => boolean,
  f: (path: string, leaf: unknown, others: readonly unknown[]) => R,
  tree: unknown,
  others: readonly unknown[],
): Tree<R> {
  const options = { isLeaf: (value: unknown): value is unknown => isLeaf(value) }
  // Without others this still finds what is no tree.
  for (const other of others.length === 0 ? [tree] : others) checkSameTree(op, tree, other, options)
  return rebuild(isLeaf, f, tree, others)
}
