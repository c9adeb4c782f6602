import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkIterable, checkPath } from '../../../base/options/index.js'
import { resolvedPath } from './resolvedPath.js'
import { syncFolder } from './syncFolder.js'
import { sweepTemporaryFiles, temporaryName } from './temporaryFiles.js'
import { writeFully } from './writeFully.js'

/**
 * Writes a file so that at every moment, a power cut included, its path has what was there before or the whole new
 * content: a temporary file in the same folder, fsync, rename, fsync of the folder. A failure leaves the old file and
 * no temporary one. A process killed on the way leaves its temporary file, `.tpu-toolkit-*.tmp`, until the next write to
 * that folder removes it. An existing file keeps its mode, a symbolic link its place. A text is written as UTF-8, several
 * pieces one after the other.
 */
export function writeFileAtomic(
  path: string | URL,
  content: string | Uint8Array | Iterable<Uint8Array>,
): void {
  checkPath('writeFileAtomic', path)
  if (typeof content !== 'string') checkIterable('writeFileAtomic', 'content', content)
  const target = resolvedPath(path)
  const folder = dirname(target)
  sweepTemporaryFiles(folder)
  const temporary = temporaryName(folder)
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

function modeOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && stats.mode & 0o777
}
