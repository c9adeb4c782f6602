import { checkArray, checkFunction, checkInteger, shown } from '../../base/options/index.js'
import { type Shape, sizeOf } from '../tensor/index.js'
import type { Numbers } from './quantizationReport.js'

/** Part of a tensor: whole rows of the last axis, or a stretch of one row that begins at a multiple of every block size. */
export interface Piece {
  readonly values: Numbers
  readonly rowLength: number
}

/** A tensor that can be read again and again, a piece at a time. */
export interface PiecewiseTensor {
  readonly name: string
  readonly shape: Shape
  /** The elements in order, piece by piece; read anew by every call. */
  readonly pieces: () => Iterable<Piece>
}

/** Values in a piece; a multiple of every block size. */
const pieceValues = 2 ** 18
/** The longest block of a scheme: rows take up a multiple of it. Storage formats have blocks of 256, and take up to 8 times more. */
const longestBlock = 32

/** The number of rows of the last axis, and their length; a scalar is one row of one. */
export function rowsOf(shape: Shape): { readonly rows: number; readonly rowLength: number } {
  checkArray('rowsOf', 'shape', shape)
  return {
    rows: sizeOf(shape.slice(0, -1)),
    rowLength: shape.at(-1) ?? 1,
  }
}

/**
 * A tensor of which never more is at hand than 262,144 values, so that a file can be quantised that does not fit in
 * memory.
 *
 * @param read gives the elements `from` to `to`, not included, in row-major order.
 *
 * @example [...piecewise('w', [3, 2 ** 17], (from, to) => new Float32Array(to - from)).pieces()].map(({ values }) => values.length) // [262144, 131072]
 */
export function piecewise(
  name: string,
  shape: Shape,
  read: (from: number, to: number) => Numbers,
): PiecewiseTensor {
  checkFunction('piecewise', 'read', read)
  if (!Array.isArray(shape)) {
    throw new TypeError(`piecewise: shape is not a list of lengths [${shown(shape)}]`)
  }
  for (const length of shape) checkInteger('piecewise', 'length', length)
  return { name, shape, pieces: () => pieces(shape, read) }
}

function* pieces(shape: Shape, read: (from: number, to: number) => Numbers): Generator<Piece> {
  const { rows, rowLength } = rowsOf(shape)
  if (rowLength === 0) return
  if (rowLength > pieceValues) {
    for (let row = 0; row < rows; row++) {
      for (let at = 0; at < rowLength; at += pieceValues) {
        const count = Math.min(pieceValues, rowLength - at)
        const from = row * rowLength + at
        yield { values: read(from, from + count), rowLength: count }
      }
    }
    return
  }
  // Short rows are few in a piece: filled up to whole blocks they may take 32 times their room.
  const room = Math.ceil(rowLength / longestBlock) * longestBlock
  const most = Math.max(1, Math.floor(pieceValues / room))
  for (let row = 0; row < rows; row += most) {
    const end = Math.min(rows, row + most)
    yield { values: read(row * rowLength, end * rowLength), rowLength }
  }
}
