import type { Tree } from '../../tensors/tree/index.js'
import type { Outline } from './checkpointRecord.js'
import { isPlace } from './record.js'

/**
 * The tree of an outline with these leaves at their paths. Where some are not given, their places are left out; a list of which
 * some items are left out becomes an object by index.
 */
export function pickTree<T>(outline: Outline, leaves: ReadonlyMap<string, T>): Tree<T> {
  return picked(outline, leaves, '') ?? {}
}

function picked<T>(outline: Outline, leaves: ReadonlyMap<string, T>, path: string): Tree<T> | undefined {
  if (isPlace(outline)) return leaves.get(path)
  const children = Object.entries(outline)
  const kept = children.flatMap(([key, child]): [string, Tree<T>][] => {
    const tree = picked(child, leaves, path === '' ? key : `${path}.${key}`)
    return tree === undefined ? [] : [[key, tree]]
  })
  if (kept.length === 0 && children.length > 0) return undefined
  if (Array.isArray(outline) && kept.length === children.length) return kept.map(([, child]) => child)
  return Object.fromEntries(kept)
}
