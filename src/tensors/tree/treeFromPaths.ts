import { checkArray, checkRecord, checkText } from '../../base/options/index.js'
import type { Tensor } from '../tensor/index.js'
import type { PathAndLeaf } from './leaves.js'
import { shown, type Tree } from './tree.js'

type Branch<T> = Map<string, Branch<T> | Leaf<T>>

/** Wrapped, so that a leaf may itself be a Map. */
interface Leaf<T> {
  readonly leaf: T
}

/**
 * The tree of which `pathsOf` gives these paths: dots go one level down, and a level whose keys are 0, 1 ... n - 1 is
 * an array. Paths do not show empty arrays and objects, dots inside of keys, or objects with such keys: those come
 * back otherwise.
 *
 * @example treeFromPaths([{ path: 'a.1', leaf: 'y' }, { path: 'a.0', leaf: 'x' }]) // { a: ['x', 'y'] }
 * @example treeFromPaths([{ path: 'a', leaf: 1 }, { path: 'a.b', leaf: 2 }]) // throws treeFromPaths: a leaf and more below it at a [a.b]
 */
export function treeFromPaths<T = Tensor>(paths: readonly PathAndLeaf<T>[]): Tree<T> {
  checkArray('treeFromPaths', 'paths', paths)
  for (const part of paths) {
    checkRecord('treeFromPaths', 'a path', part, ['path'])
    checkText('treeFromPaths', 'path', part.path)
  }
  const [first] = paths
  if (first && paths.length === 1 && first.path === '') return first.leaf
  const root: Branch<T> = new Map()
  for (const { path, leaf } of paths) insert(root, path, leaf)
  return build(root)
}

function insert<T>(root: Branch<T>, path: string, leaf: T): void {
  const keys = path.split('.')
  const last = keys.pop()!
  let branch = root
  keys.forEach((key, depth) => {
    const next = branch.get(key) ?? new Map()
    if (!(next instanceof Map)) throw twice(keys.slice(0, depth + 1).join('.'), path)
    branch.set(key, next)
    branch = next
  })
  const there = branch.get(last)
  if (there instanceof Map) throw twice(path, path)
  if (there) throw new RangeError(`treeFromPaths: two leaves at one path [${shown(path)}]`)
  branch.set(last, { leaf })
}

function twice(at: string, path: string): RangeError {
  return new RangeError(`treeFromPaths: a leaf and more below it at ${at} [${path}]`)
}

function build<T>(branch: Branch<T>): Tree<T> {
  const under = (child: Branch<T> | Leaf<T>): Tree<T> => (child instanceof Map ? build(child) : child.leaf)
  const indices = Array.from(branch.keys(), (_, index) => String(index))
  if (branch.size > 0 && indices.every((index) => branch.has(index))) {
    return indices.map((index) => under(branch.get(index)!))
  }
  return Object.fromEntries([...branch.keys()].sort().map((key) => [key, under(branch.get(key)!)]))
}
