import { type DType, dtypes, type Shape } from '../../tensors/tensor/index.js'
import { type PathAndLeaf, pathsOf } from '../../tensors/tree/index.js'
import type { CheckpointRecord, FileDigest, Outline, StoredTensor } from './checkpointRecord.js'
import { fromJson } from './plainData.js'
import { kind, sha256, version } from './recordText.js'

/** The file of a host. */
export function hostFile(host: number): string {
  return `host-${host}.safetensors`
}

/** The folder of a step among the checkpoints. */
export function stepFolder(step: number): string {
  return `step-${String(step).padStart(8, '0')}`
}

/** The step of such a folder, undefined where the name is no such. */
export function stepOfFolder(name: string): number | undefined {
  const step = /^step-\d{8,16}$/.test(name) ? Number(name.slice(5)) : undefined
  return step !== undefined && Number.isSafeInteger(step) && stepFolder(step) === name ? step : undefined
}

/** Where the tensors of an outline are. */
export function outlinePaths(outline: Outline): PathAndLeaf<0>[] {
  return pathsOf(outline, { op: 'checkpoint', isLeaf: isPlace })
}

/** Whether a value of an outline is the place of a tensor. */
export function isPlace(value: unknown): value is 0 {
  return value === 0
}

/** How many rows a tensor has. */
export function rowsIn(shape: Shape): number {
  return shape[0] ?? 1
}

/** What a text of checkpoint.json says; an error says why it is refused. */
export function parseRecord(text: string): CheckpointRecord {
  const head = /^\{"kind":("[^"\\]*"),"version":(\d+),/.exec(text)
  if (head?.[1] !== JSON.stringify(kind)) throw refused('is foreign: it is not of this package')
  if (Number(head[2]) > version) {
    throw refused(`is of the newer version ${head[2]}, this one reads up to ${version}`)
  }
  const from = text.indexOf('"content":\n')
  if (from < 0) throw refused('is damaged: it has no content')
  const digest = /"sha256":"([\da-f]{64})",$/.exec(text.slice(0, from))?.[1]
  const content = text.slice(from + '"content":\n'.length, -'}\n'.length)
  if (digest === undefined || sha256(content) !== digest || !text.endsWith('}\n')) {
    throw refused('is damaged: its checksum differs')
  }
  return read(parsed(content))
}

function parsed(content: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    throw refused('is damaged: it is no JSON')
  }
  if (!isFields(value)) throw refused('is damaged: it is no record')
  if (nestsDeeper(value, maxDepth)) throw refused(`is damaged: it nests deeper than ${maxDepth} levels`)
  return value
}

/** Levels in a record: those of a state or a tree, which have at most 128 at their writing, and the few that they stand in. */
const maxDepth = 160

type Fields = Readonly<Record<string, unknown>>

function read(content: Fields): CheckpointRecord {
  const { step, metrics, state, hostStates, tree, tensors, files } = content
  if (!isCount(step)) throw refused('has no step')
  if (!isFields(metrics) || !isFields(tensors) || !Array.isArray(hostStates) || !('state' in content)) {
    throw refused('lacks parts')
  }
  if (!Array.isArray(files) || files.length < 1 || !files.every(isDigest)) throw refused('lacks its files')
  const stored = new Map(Object.entries(tensors).map(([path, x]) => [path, storedOf(path, x, files.length)]))
  const outline = tree as Outline
  const places = placesIn(outline)
  if (places.length !== stored.size || !places.every(({ path }) => stored.has(path))) {
    throw refused('has other tensors than its tree')
  }
  const measured = Object.entries(metrics).flatMap(([name, value]) => {
    const number = fromJson(value)
    return typeof number === 'number' ? [[name, number] as const] : []
  })
  return {
    step,
    metrics: Object.fromEntries(measured),
    state,
    hostStates,
    outline,
    tensors: stored,
    files,
  }
}

function placesIn(outline: Outline): PathAndLeaf<0>[] {
  try {
    return outlinePaths(outline)
  } catch {
    throw refused('has no tree')
  }
}

function storedOf(path: string, value: unknown, hosts: number): StoredTensor {
  const known: ReadonlySet<unknown> = new Set(dtypes)
  if (!isFields(value)) throw refused(`does not describe ${path}`)
  const { dtype, shape, rows, sharded } = value
  const counted = isCounts(shape) && isCounts(rows) && rows.length === hosts && typeof sharded === 'boolean'
  if (!known.has(dtype) || !counted) throw refused(`does not describe ${path}`)
  if (rows.reduce((sum, n) => sum + n, 0) !== rowsIn(shape)) throw refused(`lacks rows of ${path}`)
  return { dtype: dtype as DType, shape, rows, sharded }
}

function refused(why: string): RangeError {
  return new RangeError(why)
}

/** Whether objects and lists stand within each other in more than so many levels. */
function nestsDeeper(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []))
  }
  return false
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount)
}

function isDigest(value: unknown): value is FileDigest {
  return isFields(value) && isCount(value['bytes']) && /^[\da-f]{64}$/.test(String(value['sha256']))
}
