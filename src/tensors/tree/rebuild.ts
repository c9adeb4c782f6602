import { childOf, keysOf, kindOf, pathTo, type Tree } from './tree.js'

/** A tree of the same structure whose leaves come from `f`, called depth first. The others are trusted to match it. */
export function rebuild<R>(
  isLeaf: (value: unknown) => boolean,
  f: (path: string, leaf: unknown, others: readonly unknown[]) => R,
  tree: unknown,
  others: readonly unknown[],
): Tree<R> {
  const visit = (path: string, node: unknown, beside: readonly unknown[]): Tree<R> => {
    const kind = kindOf(node, isLeaf)
    if (kind === 'leaf') return f(path, node, beside)
    const under = (key: string): Tree<R> =>
      visit(
        pathTo(path, key),
        childOf(node as object, key),
        beside.map((other) => childOf(other as object, key)),
      )
    const keys = keysOf(node as object)
    if (kind === 'array') return keys.map(under)
    // fromEntries defines a key such as __proto__ like any other.
    return Object.fromEntries(keys.map((key): [string, Tree<R>] => [key, under(key)]))
  }
  return visit('', tree, others)
}
