import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { draftFolder, writeFully } from '../files/index.js'
import { type CheckpointRecord, type FileDigest, recordFile, recordText } from './record.js'
import type { StagedFile } from './stage.js'

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
        writeFully(handle, piece)
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

/** A checkpoint of one process: its files, then the record with their digests, and all at once in its place. */
export function commitCheckpoint(
  op: string,
  path: string,
  files: readonly StagedFile[],
  record: Omit<CheckpointRecord, 'files'>,
): void {
  const draft = draftFolder(path)
  try {
    writeRecord(op, draft.folder, { ...record, files: writeFiles(draft.folder, files) })
    draft.commit()
  } catch (error) {
    draft.discard()
    throw error
  }
}
