import { Worker } from 'node:worker_threads'
import { threadFile } from '../files/index.js'
import type { FileDigest } from './checkpointRecord.js'
import type { SaveAnswer, SaveJob } from './saveThread.js'
import type { StagedFile } from './stage.js'

/** Where files go. */
export type SaveTarget = Pick<SaveJob, 'folder' | 'commit'>

/** Writes files in a thread of its own, one job at a time. */
export interface Saver {
  /** Copies the files at once, and writes them when the target is known; the promise is that of their being written. */
  start(
    files: readonly StagedFile[],
    target: SaveTarget | Promise<SaveTarget>,
  ): Promise<readonly FileDigest[]>
  /** Ends the thread. */
  stop(): Promise<void>
}

/** A saver; its thread begins with the first job, and keeps the process alive only while it has one. */
export function saver(): Saver {
  let worker: Worker | undefined
  // Memory that the system has given once is copied into six times faster than fresh memory.
  let kept = new ArrayBuffer(0)
  const ask = (job: SaveJob): Promise<SaveAnswer> => {
    worker ??= new Worker(threadFile('save', import.meta.url, 'training/checkpoint/saveThread.js'), {
      execArgv: [],
    })
    const thread = worker
    thread.ref()
    return new Promise((resolve, reject) => {
      const over = (): void => {
        thread.off('message', answered).off('error', failed).off('exit', ended)
        thread.unref()
      }
      const answered = (answer: SaveAnswer): void => {
        over()
        resolve(answer)
      }
      const failed = (error: Error): void => {
        over()
        worker = undefined
        reject(error)
      }
      const ended = (code: number): void => failed(new Error(`save: the thread that writes ended [${code}]`))
      thread.on('message', answered).on('error', failed).on('exit', ended)
      thread.postMessage(job, [job.buffer])
    })
  }
  return {
    start: async (files, target) => {
      const sizes = files.map(({ name, pieces }) => ({
        name,
        bytes: pieces.reduce((n, piece) => n + piece.length, 0),
      }))
      const total = sizes.reduce((n, { bytes }) => n + bytes, 0)
      const buffer = kept.byteLength >= total ? kept : new ArrayBuffer(total)
      kept = new ArrayBuffer(0)
      copyInto(new Uint8Array(buffer), files)
      const answer = await ask({ buffer, files: sizes, ...(await target) })
      kept = answer.buffer
      if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
      return answer.digests ?? []
    },
    stop: async () => {
      await worker?.terminate()
      worker = undefined
    },
  }
}

function copyInto(to: Uint8Array, files: readonly StagedFile[]): void {
  let at = 0
  for (const piece of files.flatMap(({ pieces }) => pieces)) {
    to.set(piece, at)
    at += piece.length
  }
}
