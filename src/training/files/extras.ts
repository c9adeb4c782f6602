import { type DType, dtypes } from '../../tensors/tensor/index.js'
import { pathsOf, replaceLeaves, type Tree, treeFromPaths } from '../../tensors/tree/index.js'
import { dtypeOfStored, type StoredDType, storedAs } from './storedDtype.js'
import { maxDepth, strictJson } from './strictJson.js'

/** Metadata entries that are ours begin so. */
export const ourPrefix = 'tpu-toolkit.'
const dtypesKey = 'tpu-toolkit.dtypes'
const treeKey = 'tpu-toolkit.tree'

/** Where a leaf stands in the stored outline of a tree. */
type Outline = Tree<0>
const leaves = { isLeaf: (value: unknown): value is 0 => value === 0 }

/** What a file's metadata says: the user's part, and ours. */
export interface Extras {
  /** The user's metadata. */
  readonly metadata: ReadonlyMap<string, string>
  /** The dtypes of tensors that are stored under the name of another, by name. */
  readonly dtypes: ReadonlyMap<string, DType>
  /** The outline of the tree, where the names alone do not give it. */
  readonly outline: Outline | undefined
}

/** Splits metadata into the user's and ours, and refuses ours where it does not fit the tensors. */
export function readExtras(
  op: string,
  metadata: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, StoredDType>,
): Extras {
  const users = new Map([...metadata].filter(([key]) => !key.startsWith(ourPrefix)))
  const dtypesText = metadata.get(dtypesKey)
  const treeText = metadata.get(treeKey)
  return {
    metadata: users,
    dtypes: dtypesText === undefined ? new Map() : readDTypes(op, dtypesText, stored),
    outline: treeText === undefined ? undefined : readOutline(op, treeText, stored),
  }
}

/** Our metadata for tensors of these names and dtypes, in a tree of this outline. */
export function writeExtras(
  op: string,
  named: ReadonlyMap<string, DType>,
  outline: Outline,
): [string, string][] {
  const entries: [string, string][] = []
  const coded = [...named].filter(([, dtype]) => isNoted(dtype))
  if (coded.length > 0) entries.push([dtypesKey, JSON.stringify(Object.fromEntries(coded))])
  const text = JSON.stringify(outline)
  if (text !== outlineByNames(named.keys())) {
    // What could not be read again, for its depth, is not written.
    strictJson(op, text)
    entries.push([treeKey, text])
  }
  return entries
}

/** The tree of tensors, or of anything else that stands under their names. */
export function treeOf<T>(named: ReadonlyMap<string, T>, outline: Outline | undefined): Tree<T> {
  const deep = outline ? undefined : deepName(named.keys())
  if (deep !== undefined) {
    throw new RangeError(`tree: a name that nests deeper than ${maxDepth} levels [${deep.slice(0, 50)}]`)
  }
  if (!outline) return treeFromPaths(Array.from(named, ([path, leaf]) => ({ path, leaf })))
  const ordered = pathsOf(outline, leaves).map(({ path }) => named.get(path)!)
  return replaceLeaves(outline, ordered, leaves) as Tree<T>
}

/** A name with as many dots as no tree has levels. */
function deepName(names: Iterable<string>): string | undefined {
  for (const name of names) {
    let dots = 0
    for (let at = name.indexOf('.'); at >= 0 && dots < maxDepth; at = name.indexOf('.', at + 1)) dots++
    if (dots >= maxDepth) return name
  }
  return undefined
}

function outlineByNames(named: Iterable<string>): string | undefined {
  const names = [...named]
  if (deepName(names) !== undefined) return undefined
  try {
    return JSON.stringify(treeFromPaths(Array.from(names, (path) => ({ path, leaf: 0 }))))
  } catch {
    // A key with a dot in it: `a.b` beside a leaf `a`.
    return undefined
  }
}

/** Whether a dtype is stored under a name that alone means something else. */
function isNoted(dtype: DType): boolean {
  return dtypeOfStored(storedAs(dtype)) !== dtype
}

function readDTypes(op: string, text: string, stored: ReadonlyMap<string, StoredDType>): Map<string, DType> {
  const value = strictJson(op, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RangeError(`${op}: ${dtypesKey} is not an object [${text.slice(0, 50)}]`)
  }
  const known: ReadonlySet<unknown> = new Set(dtypes)
  for (const [name, dtype] of Object.entries(value)) {
    if (!known.has(dtype) || !isNoted(dtype as DType) || stored.get(name) !== storedAs(dtype as DType)) {
      throw new RangeError(
        `${op}: ${dtypesKey} does not fit the tensor [${name.slice(0, 50)}: ${String(dtype)}]`,
      )
    }
  }
  return new Map(Object.entries(value as Record<string, DType>))
}

function readOutline(op: string, text: string, stored: ReadonlyMap<string, StoredDType>): Outline {
  const outline = strictJson(op, text) as Outline
  const paths = pathsOf(outline, { ...leaves, op: `${op}: ${treeKey}` }).map(({ path }) => path)
  const unique = new Set(paths)
  if (
    unique.size !== paths.length ||
    unique.size !== stored.size ||
    !paths.every((path) => stored.has(path))
  ) {
    throw new RangeError(`${op}: ${treeKey} does not have the tensors of the file [${text.slice(0, 50)}]`)
  }
  return outline
}
