import { checkPath } from '../../../base/options/index.js'
import type { Tree } from '../../../tensors/tree/index.js'
import { writeFileAtomic } from '../atomic/writeFileAtomic.js'
import { piecesOfSafetensors, type SafetensorsOptions } from '../encodeSafetensors.js'

/**
 * Writes a tree of tensors as a safetensors file, as `encodeSafetensors` lays it out and as `writeFileAtomic` writes:
 * the path has the old file or the whole new one at any time.
 *
 * Cost      no copy of the tensors in memory.
 */
export function writeSafetensors(path: string | URL, tree: Tree, options: SafetensorsOptions = {}): void {
  checkPath('writeSafetensors', path)
  writeFileAtomic(path, piecesOfSafetensors('writeSafetensors', tree, options))
}
