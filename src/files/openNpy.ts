import { checkPath } from '../options/index.js'
import type { DType, Shape, Tensor } from '../tensor/index.js'
import { checkNpyOptions, type NpyOptions } from './decodeNpy.js'
import { type BigIntegers, type FileInteger, integersOf, integerTensor, isFileInteger } from './integers.js'
import { readNpyHeader } from './npyHeader.js'
import { littleEndian, orderedBytes } from './npyOrder.js'
import { openBytes } from './openBytes.js'
import { rowsOf } from './rowsOf.js'
import { tensorOf } from './tensorBytes.js'

/** An open npy file of which rows are read. */
export interface NpyFile {
  /** What the file holds; integers that no tensor has are read as `read` and `readRows` say. */
  readonly dtype: DType | FileInteger
  readonly shape: Shape
  /** Reads all of it, integers as `decodeNpy` reads them. */
  read(): Tensor
  /**
   * Reads rows start to end (not included) along the first axis; nothing else is read. Integers of 64 bits are float64
   * here, whatever they are, so that all rows of a file are alike.
   */
  readRows(start: number, end: number): Tensor
  /** Closes the file; nothing can be read afterwards. */
  close(): void
}

/**
 * Opens an npy file: its header is read and checked as `decodeNpy` does, its rows when asked for.
 *
 * Throws    as `decodeNpy`; RangeError for rows that there are not.
 * Cost      memory for the rows that are read. Rows of a file in Fortran order lie apart: one read of the file for every
 *           element of a row.
 */
export function openNpy(path: string | URL, options: Omit<NpyOptions, 'integers'> = {}): NpyFile {
  checkPath('openNpy', path)
  const op = 'openNpy'
  checkNpyOptions(op, options)
  const file = openBytes(op, path)
  try {
    const header = readNpyHeader(op, file.size, file.read, options.dtype)
    const { dtype, shape, start: dataStart, bytes, fortranOrder } = header
    const tensorFrom = (from: string, part: Shape, data: Uint8Array): Tensor =>
      isFileInteger(dtype)
        ? integerTensor(from, 'the array', dtype, part, data, from === 'readRows')
        : tensorOf(from, 'the array', dtype, part, data)
    return {
      dtype,
      shape,
      read: () => tensorFrom('read', shape, orderedBytes(header, file.read(dataStart, bytes))),
      readRows: (start, end) => {
        const [rows, rowBytes] = rowsOf('readRows', 'the array', header, start, end)
        const part = [rows, ...shape.slice(1)]
        if (!fortranOrder || shape.length < 2) {
          const data = file.read(dataStart + start * rowBytes, rows * rowBytes)
          littleEndian(header, data)
          return tensorFrom('readRows', part, data)
        }
        // Each column has its rows together.
        const data = new Uint8Array(rows * rowBytes)
        const columns = shape.slice(1).reduce((product, n) => product * n, 1)
        const width = columns === 0 ? 0 : rowBytes / columns
        for (let column = 0; column < columns && rows > 0; column++) {
          const at = dataStart + (column * shape[0]! + start) * width
          data.set(file.read(at, rows * width), column * rows * width)
        }
        return tensorFrom('readRows', part, orderedBytes({ ...header, shape: part }, data))
      },
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
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
export function readNpy(path: string | URL, options?: NpyOptions & { readonly integers?: 'exact' }): Tensor
export function readNpy(path: string | URL, options: NpyOptions = {}): Tensor | BigIntegers {
  checkPath('readNpy', path)
  const op = 'readNpy'
  const integers = checkNpyOptions(op, options)
  const file = openBytes(op, path)
  try {
    const header = readNpyHeader(op, file.size, file.read, options.dtype)
    const data = orderedBytes(header, file.read(header.start, header.bytes))
    return isFileInteger(header.dtype)
      ? integersOf(op, 'the array', header.dtype, header.shape, data, integers)
      : tensorOf(op, 'the array', header.dtype, header.shape, data)
  } finally {
    file.close()
  }
}
