import { checkTreeOptions } from './checkTreeOptions.js'
import {
  childOf,
  isLeaf,
  type Kind,
  keysOf,
  kindOf,
  notATree,
  pathTo,
  shown,
  type TreeOptions,
} from './tree.js'

/**
 * Throws a RangeError unless `other` has the structure of `tree`: the same keys, the same lengths, leaves where it has
 * leaves. Names the first path that differs, depth first, keys sorted. A leaf of `other` may be anything but an array
 * or object (a mask has booleans); null and undefined are leaves nowhere.
 *
 * @example checkSameTree('step', { w: tensor(1) }, { v: tensor(1) }) // throws step: trees differ at v [nothing, leaf]
 */
export function checkSameTree<T>(
  op: string,
  tree: unknown,
  other: unknown,
  options: TreeOptions<T> = {},
): void {
  checkTreeOptions(op, options)
  compare(op, options.isLeaf ?? isLeaf, tree, other, '')
}

/** Something missing on one side, which is no value of the language: undefined under a key is an error of its own. */
const nothing: unique symbol = Symbol('nothing')

function compare(
  op: string,
  isLeaf: (value: unknown) => boolean,
  tree: unknown,
  other: unknown,
  path: string,
): void {
  const kind = sideKind(op, isLeaf, tree, path)
  const otherKind = sideKind(op, (value) => isLeaf(value) || isForeignLeaf(value), other, path)
  if (kind !== otherKind) {
    throw new RangeError(`${op}: trees differ at ${shown(path)} [${kind}, ${otherKind}]`)
  }
  if (kind === 'leaf') return
  for (const key of unionOfKeys(tree as object, other as object)) {
    compare(
      op,
      isLeaf,
      childOrNothing(tree as object, key),
      childOrNothing(other as object, key),
      pathTo(path, key),
    )
  }
}

function sideKind(
  op: string,
  isLeaf: (value: unknown) => boolean,
  value: unknown,
  path: string,
): Kind | 'nothing' {
  if (value === nothing) return 'nothing'
  const kind = kindOf(value, isLeaf)
  if (!kind) throw notATree(op, value, path)
  return kind
}

/** What a tree of another leaf type may hold where the first one has leaves. */
function isForeignLeaf(value: unknown): boolean {
  return (
    value !== nothing && value !== null && value !== undefined && kindOf(value, () => false) === undefined
  )
}

function unionOfKeys(a: object, b: object): string[] {
  if (Array.isArray(a) && Array.isArray(b)) return keysOf(a.length < b.length ? b : a)
  const keys = keysOf(a)
  const extra = keysOf(b).filter((key) => !Object.hasOwn(a, key))
  return extra.length === 0 ? keys : [...keys, ...extra].sort()
}

function childOrNothing(container: object, key: string): unknown {
  const missing = Array.isArray(container) ? Number(key) >= container.length : !Object.hasOwn(container, key)
  return missing ? nothing : childOf(container, key)
}
