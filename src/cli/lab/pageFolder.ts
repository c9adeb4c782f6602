import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where the built page of the lab is: that of the checkout which `module`, the command's own file, is built in; else that of the
 * package tpu-toolkit-lab beside the command or beside the working folder. Undefined where there is none.
 */
export function pageFolder(module: string, workingFolder: string): string | undefined {
  const ours = fileURLToPath(new URL('../../../lab/package/page', module))
  const candidates = [ours, ...[module, join(workingFolder, 'package.json')].flatMap(packaged)]
  return candidates.find((folder) => existsSync(join(folder, 'index.html')))
}

function packaged(from: string): string[] {
  try {
    return [join(dirname(createRequire(from).resolve('tpu-toolkit-lab/package.json')), 'page')]
  } catch {
    return []
  }
}
