import { type DType, type Shape, sizeOf, type Tensor } from '../../tensors/tensor/index.js'
import { type ByteSource, type CheckedSource, checkedSource } from './byteSource.js'
import { checkNpyOptions, type NpyOptions } from './decodeNpy.js'
import { integerTensor } from './integers.js'
import { readNpyHeader } from './npyHeader.js'
import { littleEndian, orderedBytes } from './npyOrder.js'
import { rowsOf } from './rowsOf.js'
import { tensorOf } from './tensorBytes.js'

/** An open npy file whose rows can be read. */
export interface NpyFile {
  /** What the file holds; integers of other widths than 32 bits are read as `read` and `readRows` say. */
  readonly dtype: DType
  readonly shape: Shape
  /** Reads all of it, integers as `decodeNpy` reads them. */
  read(): Tensor
  /**
   * Reads rows start to end (not included) along the first axis; nothing else is read. Integers of 64 bits are float64
   * here, whatever they are, so that all rows of a file are alike.
   */
  readRows(start: number, end: number): Tensor
  /**
   * Reads elements start to end (not included) in row-major order, as a tensor of one axis; integers as `readRows`. A
   * RangeError where the array is in Fortran order, in which they lie apart.
   */
  readElements(start: number, end: number): Tensor
  /** Closes the file; nothing can be read afterwards. */
  close(): void
}

/**
 * An npy file over any source of bytes: its header is read and checked as by `decodeNpy`, its rows on request.
 * Runs anywhere, as `safetensorsOver`.
 *
 * Throws    TypeError for anything but a source; as `decodeNpy`; RangeError for rows out of range.
 * Cost      as `openNpy`.
 *
 * @example const bytes = encodeNpy(tensor([[1, 2], [3, 4]]))
 * const over = { size: bytes.length, read: (position, n) => bytes.slice(position, position + n) }
 * npyOver(over).readRows(1, 2).toNested() // [[3, 4]]
 * npyOver(over).readElements(1, 3).toNested() // [2, 3]
 */
export function npyOver(source: ByteSource, options: Omit<NpyOptions, 'integers'> = {}): NpyFile {
  const op = 'npyOver'
  checkNpyOptions(op, options)
  return npyFile(op, checkedSource(op, source), options)
}

/** The file over a checked source, which is closed where its header is refused. */
export function npyFile(op: string, file: CheckedSource, options: Omit<NpyOptions, 'integers'>): NpyFile {
  try {
    const header = readNpyHeader(op, file.size, file.read, options.dtype)
    const { dtype, integer, shape, start: dataStart, bytes, fortranOrder } = header
    const tensorFrom = (from: string, part: Shape, data: Uint8Array): Tensor =>
      integer
        ? integerTensor(from, 'the array', integer, part, data, from !== 'read')
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
        const columns = sizeOf(shape.slice(1))
        const width = columns === 0 ? 0 : rowBytes / columns
        for (let column = 0; column < columns && rows > 0; column++) {
          const at = dataStart + (column * shape[0]! + start) * width
          data.set(file.read(at, rows * width), column * rows * width)
        }
        return tensorFrom('readRows', part, orderedBytes({ ...header, shape: part }, data))
      },
      readElements: (start, end) => {
        if (fortranOrder && shape.length > 1) {
          throw new RangeError(
            `readElements: elements of an array in Fortran order lie apart [${shape.join(', ')}]`,
          )
        }
        const elements = sizeOf(shape)
        const flat = { shape: [elements], bytes }
        const [count, width] = rowsOf('readElements', 'the array', flat, start, end, 'elements')
        const data = file.read(dataStart + start * width, count * width)
        littleEndian(header, data)
        return tensorFrom('readElements', [count], data)
      },
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
}
