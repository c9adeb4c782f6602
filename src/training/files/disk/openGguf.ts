import { checkPath } from '../../../base/options/index.js'
import { type GgufFile, ggufFile } from '../ggufOver.js'
import { openBytes } from './openBytes.js'

/**
 * Opens a GGUF file: its header is read and checked as `ggufOver` does, its tensors when asked for.
 *
 * Throws    RangeError for a header as `ggufOver` refuses it.
 * Cost      memory for the header, and for the tensors that are read.
 */
export function openGguf(path: string | URL): GgufFile {
  checkPath('openGguf', path)
  return ggufFile('openGguf', openBytes('openGguf', path))
}
