import { checkPath } from '../../../base/options/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import { checkNpyOptions, type NpyOptions } from '../decodeNpy.js'
import { type BigIntegers, integersOf } from '../integers.js'
import { readNpyHeader } from '../npyHeader.js'
import { orderedBytes } from '../npyOrder.js'
import { type NpyFile, npyFile } from '../npyOver.js'
import { tensorOf } from '../tensorBytes.js'
import { openBytes } from './openBytes.js'

/**
 * Opens an npy file: its header is read and checked as `decodeNpy` does, its rows when asked for.
 *
 * Throws    as `decodeNpy`; RangeError for rows that there are not.
 * Cost      memory for the rows that are read. Rows of a file in Fortran order lie apart: one read of the file for every
 *           element of a row.
 */
export function openNpy(path: string | URL, options: Omit<NpyOptions, 'integers'> = {}): NpyFile {
  checkPath('openNpy', path)
  checkNpyOptions('openNpy', options)
  return npyFile('openNpy', openBytes('openNpy', path), options)
}

/**
 * The tensor of an npy file, as `decodeNpy` reads it.
 *
 * Throws    as `decodeNpy`.
 * Cost      the file is never in memory beside its tensor, unless that has to be transposed.
 */
export function readNpy(
  path: string | URL,
  options: NpyOptions & { readonly integers: 'bigint' },
): Tensor | BigIntegers
export function readNpy(
  path: string | URL,
  options?: NpyOptions & { readonly integers?: 'exact' | 'same' },
): Tensor
export function readNpy(path: string | URL, options: NpyOptions = {}): Tensor | BigIntegers {
  checkPath('readNpy', path)
  const op = 'readNpy'
  const integers = checkNpyOptions(op, options)
  const file = openBytes(op, path)
  try {
    const header = readNpyHeader(op, file.size, file.read, options.dtype)
    const data = orderedBytes(header, file.read(header.start, header.bytes))
    return header.integer
      ? integersOf(op, 'the array', header.integer, header.shape, data, integers)
      : tensorOf(op, 'the array', header.dtype, header.shape, data)
  } finally {
    file.close()
  }
}
