import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that a path or a URL means, from the root on. */
export function resolvedFolder(folder: string | URL): string {
  return resolve(typeof folder === 'string' ? folder : fileURLToPath(folder))
}
