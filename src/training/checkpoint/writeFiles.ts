import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CheckpointRecord, FileDigest } from './checkpointRecord.js'
import { recordFile, recordText } from './recordText.js'
import type { StagedFile } from './stage.js'

// As recordText.ts, read by the thread: nothing of other folders is imported here.

/** The most bytes of one call to the system, which takes less than 2 GiB. */
const most = 2 ** 30

/** Writes files into a folder, each synced, and says how they are recognised. */
export function writeFiles(folder: string, files: readonly StagedFile[]): FileDigest[] {
  return files.map(({ name, pieces }) => {
    const hash = createHash('sha256')
    let bytes = 0
    const handle = openSync(join(folder, name), 'wx')
    try {
      for (const piece of pieces) {
        hash.update(piece)
        bytes += piece.length
        // Of a file that is open already it writes all of the bytes at its end, in as many calls as that takes.
        for (let at = 0; at < piece.length; at += most) writeFileSync(handle, piece.subarray(at, at + most))
      }
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    return { bytes, sha256: hash.digest('hex') }
  })
}

/** Writes what the checkpoint is, last of its files. */
export function writeRecord(op: string, folder: string, record: CheckpointRecord): void {
  writeFiles(folder, [{ name: recordFile, pieces: [Buffer.from(recordText(op, record))] }])
}

/** Writes all files of a checkpoint into the folder of a draft, and gives it its place. */
export function commitFiles(
  op: string,
  folder: string,
  path: string,
  files: readonly StagedFile[],
  record: Omit<CheckpointRecord, 'files'>,
): void {
  writeRecord(op, folder, { ...record, files: writeFiles(folder, files) })
  sync(folder)
  renameSync(folder, path)
  sync(dirname(path))
}

/** Makes what was done in a folder last; Windows opens no folders and needs none of it. */
function sync(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
