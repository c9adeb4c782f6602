import { parentPort } from 'node:worker_threads'
import { shown } from '../options/index.js'
import type { CheckpointRecord, FileDigest } from './record.js'
import { commitCheckpoint, writeFiles } from './writeFiles.js'

// What the thread of a saver runs; not part of the door.

/** A copy of files in one buffer, and what becomes of them. */
export interface SaveJob {
  readonly buffer: ArrayBuffer
  /** The files, one after the other in the buffer. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  /** A checkpoint of its own; else the files are written into a folder that is there. */
  readonly target:
    | { readonly path: string; readonly record: Omit<CheckpointRecord, 'files'> }
    | { readonly folder: string }
}

/** What a job came to; the buffer comes back, for the next. */
export interface SaveAnswer {
  readonly buffer: ArrayBuffer
  readonly digests?: readonly FileDigest[]
  /** Why it was not written. */
  readonly error?: { readonly message: string; readonly code: string }
}

/** Does one job. */
export function runSaveJob({ buffer, files, target }: SaveJob): SaveAnswer {
  let at = 0
  const staged = files.map(({ name, bytes }) => {
    at += bytes
    return { name, pieces: [new Uint8Array(buffer, at - bytes, bytes)] }
  })
  try {
    if ('folder' in target) return { buffer, digests: writeFiles(target.folder, staged) }
    commitCheckpoint('save', target.path, staged, target.record)
    return { buffer }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { buffer, error: { message: error instanceof Error ? error.message : shown(error), code } }
  }
}

parentPort?.on('message', (job: SaveJob) => parentPort?.postMessage(runSaveJob(job), [job.buffer]))
