import { checkOptions, checkRecord, type OptionTable, shown } from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import { mapTree, type PathAndLeaf, pathsOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { safetensorsPieces } from '../files/index.js'
import type { Outline, StoredTensor } from './checkpointRecord.js'
import { hostRows, viewOfRows } from './hostRows.js'
import { plainDataText } from './plainData.js'
import { hostFile, rowsIn } from './record.js'

/** What is saved. */
export interface CheckpointContent {
  /** Parameters, optimizer state (`stateToTree`) and whatever else has bits. */
  readonly tensors: Treelike
  /** Plain data (`PlainData`) beside them: settings, counters, states of callbacks. Default null. */
  readonly state?: unknown
  /** What this host has for itself, such as its place in the data. Default null. */
  readonly hostState?: unknown
  /** What was measured, by which `best` chooses. Default none. */
  readonly metrics?: Readonly<Record<string, number>>
}

const contentNames: OptionTable<CheckpointContent> = {
  ...{ tensors: 'required', state: 'optional', hostState: 'optional', metrics: 'optional' },
}

/** The host whose file is written, and its part of each tensor. */
export interface Writer {
  /** One process writes for all hosts, or each its own file. */
  readonly host: number | 'all'
  readonly hosts: number
  /** Tensors of which each host has only its own rows. Used only if hosts write separately. */
  readonly sharded?: ((path: string) => boolean) | undefined
}

/** A host's tensors, as the others hear of them. */
export interface HostReport {
  readonly outline: Outline
  readonly tensors: readonly (readonly [path: string, tensor: StoredTensor])[]
  readonly hostState: unknown
}

/** A file that is to be written: its bytes, in pieces that are the tensors' own memory. */
export interface StagedFile {
  readonly name: string
  readonly pieces: readonly Uint8Array[]
}

/** A checkpoint on its way. */
export interface Staged {
  readonly report: HostReport
  readonly files: readonly StagedFile[]
}

/** The content of a checkpoint as files, nothing copied; refuses what could not be read again. */
export function stage(op: string, content: CheckpointContent, writer: Writer): Staged {
  const { tensors, state = null, hostState = null, metrics = {} } = checkContent(op, content)
  plainDataText(op, state)
  plainDataText(op, hostState)
  checkMetrics(op, metrics)
  const leaves = pathsOf(tensors, { op })
  checkPaths(op, leaves)
  const isSharded = (path: string): boolean => writer.host !== 'all' && writer.sharded?.(path) === true
  const rowless = leaves.find(({ path, leaf }) => leaf.rank === 0 && isSharded(path))
  if (rowless) throw new RangeError(`${op}: a tensor without rows cannot be sharded [${rowless.path}]`)
  const outline: Outline = mapTree((): 0 => 0, tensors) as Tree<0>
  const hosts =
    writer.host === 'all' ? Array.from({ length: writer.hosts }, (_, host) => host) : [writer.host]
  return {
    report: {
      outline,
      hostState,
      tensors: leaves.map(({ path, leaf }) => [path, storedAs(leaf, writer, isSharded(path))]),
    },
    files: hosts.map((host) => {
      const whole = writer.hosts === 1
      const named = leaves.map(({ path, leaf }) => [
        path,
        isSharded(path) ? leaf : ownRows(leaf, host, writer.hosts),
      ])
      const there = named.filter((entry): entry is [string, Tensor] => entry[1] !== undefined)
      return {
        name: hostFile(host),
        pieces: safetensorsPieces(whole ? (tensors as Tree) : Object.fromEntries(there)),
      }
    }),
  }
}

function checkContent(op: string, content: CheckpointContent): CheckpointContent {
  checkRecord(op, 'content', content)
  checkOptions(op, content, contentNames)
  return content
}

function checkMetrics(op: string, metrics: Readonly<Record<string, number>>): void {
  checkRecord(op, 'metrics', metrics)
  for (const [name, value] of Object.entries(metrics)) {
    if (typeof value !== 'number') {
      throw new TypeError(`${op}: metric ${name} is not a number [${shown(value)}]`)
    }
  }
}

function checkPaths(op: string, leaves: readonly PathAndLeaf<Tensor>[]): void {
  const paths = new Set<string>()
  for (const { path } of leaves) {
    if (paths.has(path)) throw new RangeError(`${op}: two tensors would have one name [${path}]`)
    paths.add(path)
  }
}

function storedAs(x: Tensor, { host, hosts }: Writer, sharded: boolean): StoredTensor {
  const rows = Array.from({ length: hosts }, (_, other) => {
    if (sharded) return other === host ? rowsIn(x.shape) : 0
    const { start, end } = hostRows(x.shape, other, hosts)
    return end - start
  })
  return { dtype: x.dtype, shape: x.shape, rows, sharded }
}

function ownRows(x: Tensor, host: number, hosts: number): Tensor | undefined {
  const rows = hostRows(x.shape, host, hosts)
  return rows.start === rows.end ? undefined : viewOfRows(x, rows)
}

/** The tensors of all hosts, from what each reported; refuses hosts that do not have the same tree. */
export function joinReports(op: string, reports: readonly HostReport[]): ReadonlyMap<string, StoredTensor> {
  const first = reports[0]!
  const outline = JSON.stringify(first.outline)
  const joined = new Map(first.tensors)
  reports.forEach((report, host) => {
    if (JSON.stringify(report.outline) !== outline) {
      throw new RangeError(`${op}: hosts have different trees [host 0, host ${host}]`)
    }
    for (const [path, stored] of host === 0 ? [] : report.tensors) {
      joined.set(path, joinedWith(op, path, joined.get(path)!, stored))
    }
  })
  return joined
}

function joinedWith(op: string, path: string, a: StoredTensor, b: StoredTensor): StoredTensor {
  const tail = a.sharded ? 1 : 0
  const alike = a.shape.slice(tail).join() === b.shape.slice(tail).join() && a.shape.length === b.shape.length
  if (a.dtype !== b.dtype || a.sharded !== b.sharded || !alike) {
    const [one, other] = [a, b].map(({ dtype, shape }) => `${dtype} [${shape.join(', ')}]`)
    throw new RangeError(`${op}: hosts have different tensors at ${path} [${one} / ${other}]`)
  }
  if (!a.sharded) return a
  return {
    ...a,
    shape: [rowsIn(a.shape) + rowsIn(b.shape), ...a.shape.slice(1)],
    rows: a.rows.map((rows, host) => rows + b.rows[host]!),
  }
}
