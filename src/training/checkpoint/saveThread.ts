import { parentPort } from 'node:worker_threads'
import type { CheckpointRecord, FileDigest } from './checkpointRecord.js'
import { commitFiles, writeFiles } from './writeFiles.js'

// The thread of a saver; not public.

/** A copy of files in one buffer, and what becomes of them. */
export interface SaveJob {
  readonly buffer: ArrayBuffer
  /** The files, concatenated in the buffer. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  /** The folder of the draft that they are written into. */
  readonly folder: string
  /** What the checkpoint is and where its place is; else the files alone are written. */
  readonly commit?: { readonly path: string; readonly record: Omit<CheckpointRecord, 'files'> }
}

/** What a job came to; the buffer comes back, for the next. */
export interface SaveAnswer {
  readonly buffer: ArrayBuffer
  readonly digests?: readonly FileDigest[]
  /** Why it was not written. */
  readonly error?: { readonly message: string; readonly code: string }
}

/** Does one job. */
export function runSaveJob({ buffer, files, folder, commit }: SaveJob): SaveAnswer {
  let at = 0
  const staged = files.map(({ name, bytes }) => {
    at += bytes
    return { name, pieces: [new Uint8Array(buffer, at - bytes, bytes)] }
  })
  try {
    if (!commit) return { buffer, digests: writeFiles(folder, staged) }
    commitFiles('save', folder, commit.path, staged, commit.record)
    return { buffer }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { buffer, error: { message: error instanceof Error ? error.message : String(error), code } }
  }
}

parentPort?.on('message', (job: SaveJob) => parentPort?.postMessage(runSaveJob(job), [job.buffer]))
