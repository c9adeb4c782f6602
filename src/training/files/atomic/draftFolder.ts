import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checkPath } from '../../../base/options/index.js'
import { resolvedPath } from './resolvedPath.js'
import { syncFolder } from './syncFolder.js'
import { sweepTemporaryFiles, temporaryName } from './temporaryFiles.js'

/** How often a folder is listed that is to be removed. */
const mostListings = 5

/** A folder that is being filled under another name. */
export interface FolderDraft {
  /** The temporary path; the caller syncs its files. */
  readonly folder: string
  /** Gives it its name, for good: an error where something of that name is there already. */
  commit(): void
  /** Removes it. */
  discard(): void
}

/**
 * Creates a folder atomically: filled under a temporary name beside `path`,
 * synced, renamed. A process killed on the way leaves `.tpu-toolkit-*.tmp`, until the next draft, or file, in that place.
 */
export function draftFolder(path: string | URL): FolderDraft {
  checkPath('draftFolder', path)
  const target = resolvedPath(path)
  const parent = dirname(target)
  sweepTemporaryFiles(parent)
  const folder = temporaryName(parent)
  mkdirSync(folder)
  return {
    folder,
    commit: () => {
      syncFolder(folder)
      renameSync(folder, target)
      syncFolder(parent)
    },
    discard: () => {
      // Somebody else may be writing into it still, who finds no folder of that name any more.
      const gone = temporaryName(parent)
      if (existsSync(folder)) renameSync(folder, gone)
      // What was being opened then may appear in it yet, after it has been listed: it is listed again.
      for (let left = mostListings; existsSync(gone); left--) {
        try {
          rmSync(gone, { recursive: true, force: true, maxRetries: 1, retryDelay: 10 })
        } catch (error) {
          if (left === 1) throw error
        }
      }
    },
  }
}

/**
 * Removes a folder with all that is in it: a reader sees it whole or not at all. It has lost its name when this returns; its files go
 * while others work, until the promise is done.
 */
export function removeFolder(path: string | URL): Promise<void> {
  checkPath('removeFolder', path)
  const target = resolvedPath(path)
  const parent = dirname(target)
  sweepTemporaryFiles(parent)
  const gone = temporaryName(parent)
  renameSync(target, gone)
  return rm(gone, { recursive: true, force: true })
}
