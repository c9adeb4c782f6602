import { isLeaf, leavesOf, mapTree, pathsOf, replaceLeaves, type Tree } from '../tree/index.js'
import type { Mask } from './mask.js'
import type { GradientTransformation, State } from './transformation.js'

/** The state of a masked transform: that of the inner one over the leaves it sees. */
export type MaskedState = { readonly inner: State }

/**
 * A transform that sees only the leaves where the mask is true; the others pass unchanged, and have no state: an empty
 * object stands for them. A mask that is a function is asked for the parameters in `init`, for the updates in `update`.
 *
 * @example tree.leavesOf(masked(scale(2), [true, false]).update([tensor(1), tensor(1)], { inner: {} })[0]).map((x) => x.item()) // [2, 1]
 */
export function masked(inner: GradientTransformation, mask: Mask): GradientTransformation<MaskedState> {
  return {
    init: (params) => ({ inner: inner.init(select(params, keptLeaves('masked', mask, params))) }),
    update(updates, state, params) {
      const kept = keptLeaves('masked', mask, updates)
      const seen = params === undefined ? undefined : select(params, kept)
      const [changed, next] = inner.update(select(updates, kept), state.inner, seen)
      return [merge(updates, kept, changed), { inner: next }]
    },
  }
}

/** The mask of every leaf, in the order of `leavesOf`. */
export function keptLeaves(op: string, mask: Mask, tree: Tree): boolean[] {
  return prefixLeaves(op, typeof mask === 'function' ? mask(tree) : mask, tree, isBoolean)
}

/** What a prefix tree says of every leaf: a value above a subtree holds for all of it. */
export function prefixLeaves<T>(
  op: string,
  prefix: Tree<T>,
  tree: Tree,
  isValue: (value: unknown) => value is T,
): T[] {
  const found: T[] = []
  const visit = (said: unknown, below: unknown, path: string): void => {
    if (isValue(said)) {
      for (const _ of leavesOf(below as Tree)) found.push(said)
      return
    }
    const sameKind =
      typeof said === 'object' &&
      said !== null &&
      !isLeaf(below) &&
      Array.isArray(said) === Array.isArray(below)
    const keys = sameKind ? keysOf(below) : []
    if (!sameKind || keys.join('\n') !== keysOf(said).join('\n'))
      throw new RangeError(
        `${op}: the mask does not fit the tree at ${path || 'the root'} [${describe(said)}]`,
      )
    for (const key of keys)
      visit(
        (said as Record<string, unknown>)[key],
        (below as Record<string, unknown>)[key],
        path === '' ? key : `${path}.${key}`,
      )
  }
  visit(prefix, tree, '')
  return found
}

function keysOf(node: unknown): string[] {
  return Array.isArray(node) ? node.map((_, i) => String(i)) : Object.keys(node as object).sort()
}

function describe(said: unknown): string {
  return Array.isArray(said)
    ? `${said.length} items`
    : typeof said === 'object'
      ? Object.keys(said ?? {}).join(', ')
      : String(said)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

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
