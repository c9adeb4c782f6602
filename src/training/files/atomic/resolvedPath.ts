import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The file that a path means: what a symbolic link leads to, so that not the link is replaced; one that is not there yet too. */
export function resolvedPath(path: string | URL): string {
  const given = resolve(typeof path === 'string' ? path : fileURLToPath(path))
  try {
    return realpathSync(given)
  } catch {
    try {
      return join(realpathSync(dirname(given)), basename(given))
    } catch {
      return given
    }
  }
}
