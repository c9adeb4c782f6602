import { isLeaf, leavesOf, type Treelike } from '../../tensors/tree/index.js'

/** What a prefix tree says of every leaf: a value above a subtree holds for all of it. */
export function prefixLeaves<T>(
  op: string,
  prefix: Treelike<T>,
  tree: Treelike,
  isValue: (value: unknown) => value is T,
): T[] {
  const found: T[] = []
  const visit = (said: unknown, below: unknown, path: string): void => {
    if (isValue(said)) {
      for (const _ of leavesOf(below as Treelike)) found.push(said)
      return
    }
    const sameKind =
      typeof said === 'object' &&
      said !== null &&
      !isLeaf(below) &&
      Array.isArray(said) === Array.isArray(below)
    const keys = sameKind ? keysOf(below) : []
    if (!sameKind || keys.join('\n') !== keysOf(said).join('\n')) {
      throw new RangeError(
        `${op}: the mask does not fit the tree at ${path || 'the root'} [${describe(said)}]`,
      )
    }
    for (const key of keys) {
      visit(
        (said as Record<string, unknown>)[key],
        (below as Record<string, unknown>)[key],
        path === '' ? key : `${path}.${key}`,
      )
    }
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
