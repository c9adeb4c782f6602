import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { writeFileAtomic } from '../../files/index.js'
import { openFile } from '../source/openFile.js'
import { readBlockList } from './readBlockList.js'
import { type RecordOptions, recordBlocks } from './recordBlocks.js'
import { fileMagic } from './recordFormat.js'

/**
 * Writes records (bytes, or text as UTF-8) as a record file: `openRecords` reads any of them by its number. The path has the
 * old file or the whole new one at any time.
 *
 * The layout is this package's own, in src/pipeline/records/recordFormat.ts: blocks of records with a CRC-32 for each record, and an
 * index at the end. What it is after, https://github.com/google/array_record, has no reader or writer outside of C++.
 */
export function writeRecords(
  path: string | URL,
  records: Iterable<Uint8Array | string>,
  options: RecordOptions = {},
): void {
  const before = { end: fileMagic.length, records: 0, starts: [], firsts: [] }
  const blocks = recordBlocks('writeRecords', records, before, options)
  writeFileAtomic(path, withMagic(blocks))
}

function* withMagic(blocks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  yield fileMagic
  yield* blocks
}

/** How records are appended. */
export interface AppendOptions extends RecordOptions {
  /** Cuts off a block that a killed process left unfinished, instead of refusing the file. Default false. */
  readonly recover?: boolean
}

/**
 * Appends records to a record file. What is there is never written again: a process killed on the way leaves a file whose
 * old records, and each new block that was finished, `openRecords(path, { recover: true })` reads. A failure of this
 * function leaves the file as it was.
 */
export async function appendRecords(
  path: string | URL,
  records: Iterable<Uint8Array | string>,
  options: AppendOptions = {},
): Promise<void> {
  const op = 'appendRecords'
  const file = await openFile(op, path)
  const before = await readBlockList(op, file, options.recover ?? false).finally(file.close)
  const handle = openSync(path, 'r+')
  try {
    if (before.end < file.size) ftruncateSync(handle, before.end)
    let at = before.end
    try {
      for (const piece of recordBlocks(op, records, before, options)) {
        for (let done = 0; done < piece.length; )
          done += writeSync(handle, piece, done, piece.length - done, at + done)
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
