import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes renames in a folder last. Windows opens no folders and needs none of it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
