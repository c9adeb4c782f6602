import { join } from 'node:path'
import {
  checkArray,
  checkFlag,
  checkInteger,
  checkOptions,
  checkPath,
  checkRecord,
  nameAdvice,
  nearestName,
  noOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  concat,
  type DType,
  dtypes,
  type FloatDType,
  isFloat,
  type Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import { checkSameTree, pathsOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import type { SafetensorsFile } from '../files/index.js'
import type { CheckpointRecord, StoredTensor } from './checkpointRecord.js'
import { hostRows, type Rows } from './hostRows.js'
import { openHostFile } from './inspectCheckpoint.js'
import type { CheckpointFacts } from './keep.js'
import { noneThere, recordAt, refusal, stepsIn } from './listCheckpoints.js'
import { pickTree } from './pickTree.js'
import { fromJson, type PlainData } from './plainData.js'
import { outlinePaths, rowsIn, stepFolder } from './record.js'
import { resolvedFolder } from './resolvedFolder.js'

/** Which host a part is for. */
export interface HostPart {
  readonly host: number
  readonly hosts: number
}

/** What is read. */
export interface ReadCheckpointOptions<P extends Treelike = Tree> {
  /** Default: the newest. */
  readonly step?: number
  /** Only what lies at or below these paths, such as 'params' or 'params.layers.0'. Default: everything. */
  readonly paths?: readonly string[]
  /** The dtype that floating-point tensors are cast to, all alike or by path. Default: as they were saved. */
  readonly dtype?: FloatDType | ((path: string, dtype: DType) => DType)
  /** Of sharded tensors only the rows of this host, whatever the number of hosts that saved them. Default: all rows. */
  readonly part?: HostPart
  /** A tree that the tensors are to have the structure, the dtypes and, without `part`, the shapes of. Default: any. */
  readonly like?: P
  /** Whether every byte is compared with its checksum before it is believed. Default true. */
  readonly verify?: boolean
}

/** A tensor that was cast on its way. */
export interface CastNote {
  readonly path: string
  readonly from: DType
  readonly to: DType
}

/** What was read. */
export interface RestoredCheckpoint<P extends Treelike = Tree> extends CheckpointFacts {
  readonly tensors: P
  readonly state: PlainData
  /** What each host had for itself, of all hosts that saved. */
  readonly hostStates: readonly PlainData[]
  /** The tensors that are not in the dtype that was saved. */
  readonly casts: readonly CastNote[]
}

const names: OptionTable<ReadCheckpointOptions> = {
  ...{ step: 'optional', paths: 'optional', dtype: 'optional', part: 'optional', like: 'optional' },
  verify: 'optional',
}

/**
 * Reads a checkpoint of a folder. One that is torn, damaged, foreign or of a newer version is refused, and the error names
 * the last good one: none is taken silently in its place.
 *
 * Dtype     as saved; with `dtype` cast, and each cast is listed in `casts`.
 * Rounding  none; of a cast one, to nearest even.
 * Throws    RangeError for what is wrong with the checkpoint, with a path that it does not have, with a tensor whose place
 *           or shape is not that of `like`; TypeError where its dtype is not.
 * Cost      reads the files of tensors once for their checksums, and the requested parts again.
 *
 * @example readCheckpoint('/dev/shm/no-such-folder') // throws readCheckpoint: there is no checkpoint [/dev/shm/no-such-folder]
 */
export function readCheckpoint<P extends Treelike = Tree>(
  folder: string | URL,
  options: ReadCheckpointOptions<P> = noOptions,
): RestoredCheckpoint<P> {
  checkPath('readCheckpoint', folder)
  return restored('readCheckpoint', resolvedFolder(folder), options)
}

/** The same for a known folder, with the caller's name in errors. */
export function restored<P extends Treelike>(
  op: string,
  top: string,
  options: ReadCheckpointOptions<P>,
): RestoredCheckpoint<P> {
  checkReading(op, options)
  const step = options.step ?? stepsIn(top).at(-1)
  if (step === undefined) throw noneThere(op, top)
  if (!stepsIn(top).includes(step)) {
    const there = stepsIn(top).join(', ') || 'none'
    throw new RangeError(`${op}: there is no checkpoint of this step, there are ${there} [${step}]`)
  }
  const record = sound(op, top, step, () => recordAt(top, step, options.verify === false ? 'sizes' : 'bytes'))
  const wanted = wantedPaths(op, record, options.paths)
  const read = new Map(
    sound(op, top, step, () => readTensors(join(top, stepFolder(step)), record, wanted, options.part)),
  )
  const casts: CastNote[] = []
  for (const [path, x] of read) {
    const to = dtypeFor(op, options.dtype, path, x.dtype)
    if (to === x.dtype) continue
    casts.push({ path, from: x.dtype, to })
    read.set(path, cast(x, to))
  }
  const tensors = pickTree(record.outline, read)
  if (options.like !== undefined) checkLike(op, options.like, tensors, options.part !== undefined)
  const { metrics } = record
  const state = fromJson(record.state)
  const hostStates = record.hostStates.map(fromJson)
  return { step, metrics, state, hostStates, casts, tensors: tensors as Treelike as P }
}

function checkReading<P extends Treelike>(op: string, options: ReadCheckpointOptions<P>): void {
  checkOptions(op, options, names, { positional: 'step' })
  const { step, paths, dtype, part, verify } = options
  if (step !== undefined) checkInteger(op, 'step', step)
  if (paths !== undefined) checkArray(op, 'paths', paths)
  if (dtype !== undefined && typeof dtype !== 'function') checkFloatDType(op, 'dtype', dtype)
  if (verify !== undefined) checkFlag(op, 'verify', verify)
  if (part === undefined) return
  checkRecord(op, 'part', part, ['host', 'hosts'])
  checkInteger(op, 'hosts', part.hosts, 1)
  checkInteger(op, 'host', part.host, 0, part.hosts - 1)
}

/** What `read` gives, or its refusal of the checkpoint in full. */
function sound<T>(op: string, top: string, step: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? refusal(op, top, step, error.message) : error
  }
}

function wantedPaths(op: string, record: CheckpointRecord, given: readonly string[] | undefined): string[] {
  const all = outlinePaths(record.outline).map(({ path }) => path)
  if (given === undefined) return all
  const under = (path: string, top: string): boolean => path === top || path.startsWith(`${top}.`)
  for (const top of given) {
    if (all.some((path) => under(path, top))) continue
    const near = nearestName(String(top), all)
    throw new RangeError(
      `${op}: nothing at this path${near === undefined ? '' : `, did you mean ${near}`} [${shown(top)}]`,
    )
  }
  return all.filter((path) => given.some((top) => under(path, top)))
}

function readTensors(
  folder: string,
  record: CheckpointRecord,
  wanted: readonly string[],
  part: HostPart | undefined,
): [string, Tensor][] {
  const files = new Map<number, SafetensorsFile>()
  const open = (host: number): SafetensorsFile => {
    const file = files.get(host) ?? openHostFile(folder, record, host)
    files.set(host, file)
    return file
  }
  try {
    return wanted.map((path) => {
      const stored = record.tensors.get(path)!
      const all = { start: 0, end: rowsIn(stored.shape) }
      const rows = part && stored.sharded ? hostRows(stored.shape, part.host, part.hosts) : all
      return [path, rowsOf(path, stored, rows, open)]
    })
  } finally {
    for (const file of files.values()) file.close()
  }
}

/** Rows of a tensor from the files that have some of them. */
function rowsOf(
  path: string,
  stored: StoredTensor,
  rows: Rows,
  open: (host: number) => SafetensorsFile,
): Tensor {
  const { dtype, shape } = stored
  if (shape.length === 0) return open(stored.rows.findIndex((n) => n > 0)).read(path)
  const pieces: Tensor[] = []
  let first = 0
  stored.rows.forEach((count, host) => {
    const [start, end] = [Math.max(rows.start, first), Math.min(rows.end, first + count)]
    if (start < end) pieces.push(open(host).readRows(path, start - first, end - first))
    first += count
  })
  if (pieces.length === 0) return zeros([rows.end - rows.start, ...shape.slice(1)], { dtype })
  return pieces.length === 1 ? pieces[0]! : concat(pieces, { axis: 0 })
}

function dtypeFor(op: string, asked: ReadCheckpointOptions['dtype'], path: string, dtype: DType): DType {
  if (asked === undefined) return dtype
  if (typeof asked === 'string') return isFloat(dtype) ? asked : dtype
  const to = asked(path, dtype)
  if (!dtypes.includes(to)) {
    throw new TypeError(`${op}: dtype gave no dtype for ${path}, ${nameAdvice(to, dtypes)} [${shown(to)}]`)
  }
  return to
}

function checkLike(op: string, like: Treelike, tensors: Tree, part: boolean): void {
  checkSameTree(op, like, tensors)
  const leaves = pathsOf(tensors)
  pathsOf(like).forEach(({ path, leaf }, i) => {
    const there = leaves[i]!.leaf
    const where = path || 'the root'
    if (there.dtype !== leaf.dtype) {
      throw new TypeError(
        `${op}: dtypes differ at ${where}, option dtype casts [${leaf.dtype}, saved ${there.dtype}]`,
      )
    }
    const skip = part ? 1 : 0
    if (there.rank !== leaf.rank || there.shape.slice(skip).join() !== leaf.shape.slice(skip).join()) {
      const [ours, saved] = [leaf.shape.join(', '), there.shape.join(', ')]
      throw new RangeError(`${op}: shapes differ at ${where} [${ours} / saved ${saved}]`)
    }
  })
}
