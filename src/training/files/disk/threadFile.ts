import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkText } from '../../../base/options/index.js'

/**
 * The file of this package that a thread runs, such as 'experiments/sweep/threadWorker.js', for the module at `here`, which lies as many
 * folders deep. Threads run JavaScript only, so the sources (tests, programs run by a TypeScript loader) use the built one.
 *
 * Throws    Error where there is no such file: in a bundle.
 */
export function threadFile(op: string, here: string, name: string): string {
  checkText('threadFile', 'op', op)
  checkText('threadFile', 'here', here)
  checkText('threadFile', 'name', name)
  const up = '../'.repeat(name.split('/').length - 1)
  const path = fileURLToPath(new URL(here.endsWith('.ts') ? `${up}../dist/${name}` : `${up}${name}`, here))
  if (!existsSync(path)) {
    throw new Error(
      `${op}: the worker's file is missing, build the package or keep it out of the bundle [${path}]`,
    )
  }
  return path
}
