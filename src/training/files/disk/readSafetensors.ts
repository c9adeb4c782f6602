import { checkOptions, checkPath } from '../../../base/options/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import { checkIntegers } from '../decodeNpy.js'
import {
  contentsOf,
  readNames,
  type SafetensorsContents,
  type SafetensorsReadOptions,
} from '../decodeSafetensors.js'
import type { BigIntegers } from '../integers.js'
import { headedSource } from '../safetensorsOver.js'
import { openBytes } from './openBytes.js'

/**
 * The tensors of a safetensors file, as `decodeSafetensors` reads them.
 *
 * Throws    as `decodeSafetensors`.
 * Cost      the file is never in memory beside its tensors.
 */
export function readSafetensors(
  path: string | URL,
  options: SafetensorsReadOptions & { readonly integers: 'bigint' },
): SafetensorsContents<Tensor | BigIntegers>
export function readSafetensors(
  path: string | URL,
  options?: SafetensorsReadOptions & { readonly integers?: 'exact' | 'same' },
): SafetensorsContents
export function readSafetensors(
  path: string | URL,
  options: SafetensorsReadOptions = {},
): SafetensorsContents<Tensor | BigIntegers> {
  checkPath('readSafetensors', path)
  const op = 'readSafetensors'
  checkOptions(op, options, readNames)
  const integers = checkIntegers(op, options.integers)
  const source = headedSource(op, openBytes(op, path))
  try {
    return contentsOf(op, source.header, source.read, integers)
  } finally {
    source.close()
  }
}
