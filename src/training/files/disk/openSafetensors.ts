import { checkPath } from '../../../base/options/index.js'
import { headedSource, type SafetensorsFile, safetensorsFile } from '../safetensorsOver.js'
import { openBytes } from './openBytes.js'

/**
 * Opens a safetensors file: its header is read and checked as `decodeSafetensors` does, its tensors when asked for.
 *
 * Throws    RangeError for a header as `decodeSafetensors` refuses it.
 * Cost      memory for the header, and for the tensors that are read.
 */
export function openSafetensors(path: string | URL): SafetensorsFile {
  checkPath('openSafetensors', path)
  return safetensorsFile(headedSource('openSafetensors', openBytes('openSafetensors', path)))
}
