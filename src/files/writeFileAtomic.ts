import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Writes a file so that at every moment, a power cut included, its path has what was there before or the whole new
 * content: a temporary file in the same folder, fsync, rename, fsync of the folder. A failure leaves the old file and
 * no temporary one; only a process killed on the way leaves its temporary file, `.tpu-toolkit-*.tmp`. An existing
 * file keeps its mode, a symbolic link its place. A text is written as UTF-8, several pieces one after the other.
 */
export function writeFileAtomic(
  path: string | URL,
  content: string | Uint8Array | Iterable<Uint8Array>,
): void {
  const target = resolved(typeof path === 'string' ? path : fileURLToPath(path))
  const folder = dirname(target)
  const temporary = join(folder, `.tpu-toolkit-${process.pid}-${randomBytes(8).toString('hex')}.tmp`)
  const handle = openSync(temporary, 'wx')
  try {
    try {
      const mode = modeOf(target)
      if (mode !== undefined) fchmodSync(handle, mode)
      for (const piece of piecesOf(content)) writeFully(handle, piece)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(folder)
}

function piecesOf(content: string | Uint8Array | Iterable<Uint8Array>): Iterable<Uint8Array> {
  if (typeof content === 'string') return [Buffer.from(content)]
  return content instanceof Uint8Array ? [content] : content
}

function writeFully(handle: number, bytes: Uint8Array): void {
  let done = 0
  // One call writes less than 2 GiB, and may write less than it was given.
  while (done < bytes.length) done += writeSync(handle, bytes, done, Math.min(bytes.length - done, 2 ** 30))
}

/** The file a symbolic link leads to, so that not the link is replaced. */
function resolved(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function modeOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && stats.mode & 0o777
}

/** Makes the rename itself last. Windows opens no folders and needs none of it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
