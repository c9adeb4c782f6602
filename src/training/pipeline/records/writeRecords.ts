import { closeSync, fsyncSync, ftruncateSync, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkIterable, checkOptions, checkPath, type OptionTable } from '../../../base/options/index.js'
import { lockFile, waitForLock, writeFileAtomic, writeFully } from '../../files/index.js'
import { openFile } from '../source/openFile.js'
import { readBlockList } from './readBlockList.js'
import { type RecordOptions, recordBlocks } from './recordBlocks.js'
import { fileMagic } from './recordFormat.js'

/**
 * Writes records (bytes, or text as UTF-8) as a record file: `openRecords` reads any of them by its number. The path has the
 * old file or the whole new one at any time.
 *
 * Throws    RangeError where somebody appends to the file; TypeError for a record that is neither bytes nor text.
 *
 * The layout is this package's own, in src/training/pipeline/records/recordFormat.ts: blocks of records with a CRC-32 for each record, and an
 * index at the end. What it is after, https://github.com/google/array_record, has no reader or writer outside of C++.
 */
export function writeRecords(
  path: string | URL,
  records: Iterable<Uint8Array | string>,
  options: RecordOptions = {},
): void {
  const op = 'writeRecords'
  checkPath(op, path)
  checkIterable(op, 'records', records)
  checkOptions(op, options, recordNames)
  const before = { end: fileMagic.length, records: 0, starts: [], firsts: [] }
  const lock = lockFile(path, { op })
  try {
    writeFileAtomic(path, withMagic(recordBlocks(op, records, before, options)))
  } finally {
    lock.release()
  }
}

function* withMagic(blocks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  yield fileMagic
  yield* blocks
}

/** How records are appended. */
export interface AppendOptions extends RecordOptions {
  /** Cuts off a block that a killed process left unfinished, instead of refusing the file. Default false. */
  readonly recover?: boolean
  /** How long another process that writes the file is waited for, in milliseconds. Default 60,000. */
  readonly wait?: number
}

const recordNames: OptionTable<RecordOptions> = { blockBytes: 'optional' }
const appendNames: OptionTable<AppendOptions> = { ...recordNames, recover: 'optional', wait: 'optional' }

/** What is to be done for each file once the appends before are. */
const queues = new Map<string, Promise<void>>()

/**
 * Appends records to a record file. What is there is never written again: a process killed on the way leaves a file whose
 * old records, and each new block that was finished, `openRecords(path, { recover: true })` reads. A failure of this
 * function leaves the file as it was. Appends follow each other: those of one process in the order of the calls, those of
 * several, by the lock of `lockFile`, in some order.
 *
 * Throws    RangeError for a file that is cut off or none of records, and where another process writes it for longer than
 *           `wait`; TypeError for a record that is neither bytes nor text.
 */
export async function appendRecords(
  path: string | URL,
  records: Iterable<Uint8Array | string>,
  options: AppendOptions = {},
): Promise<void> {
  const op = 'appendRecords'
  checkPath(op, path)
  checkIterable(op, 'records', records)
  checkOptions(op, options, appendNames)
  const { recover = false, wait } = options
  const key = resolve(path instanceof URL ? fileURLToPath(path) : path)
  const before = queues.get(key) ?? Promise.resolve()
  const append = async (): Promise<void> => {
    // A file that is not there is said before a lock is put beside it.
    await stat(path)
    const lock = await waitForLock(path, { op, ...(wait !== undefined && { wait }) })
    try {
      await appendAlone(path, records, recover, options)
    } finally {
      lock.release()
    }
  }
  const done = before.then(append, append)
  const settled = done.catch(() => {})
  queues.set(key, settled)
  try {
    await done
  } finally {
    if (queues.get(key) === settled) queues.delete(key)
  }
}

async function appendAlone(
  path: string | URL,
  records: Iterable<Uint8Array | string>,
  recover: boolean,
  options: RecordOptions,
): Promise<void> {
  const op = 'appendRecords'
  const file = await openFile(op, path)
  const before = await readBlockList(op, file, recover).finally(file.close)
  const handle = openSync(path, 'r+')
  try {
    if (before.end < file.size) ftruncateSync(handle, before.end)
    let at = before.end
    try {
      for (const piece of recordBlocks(op, records, before, options)) {
        writeFully(handle, piece, at)
        at += piece.length
      }
      fsyncSync(handle)
    } catch (error) {
      ftruncateSync(handle, before.end)
      throw error
    }
  } finally {
    closeSync(handle)
  }
}
