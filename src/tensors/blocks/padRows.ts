import { checkArray, checkInteger, shown } from '../../base/options/index.js'
import type { Numbers } from './quantizationReport.js'

/**
 * Rows made longer until blocks divide them, filled with zeros or another number; the values themselves where blocks
 * divide them already.
 *
 * @example padRows(Float32Array.of(1, 2, 3, 4), 2, 3) // [1, 2, 0, 3, 4, 0]
 */
export function padRows<V extends Numbers>(values: V, rowLength: number, blockSize: number, fill = 0): V {
  checkArray('padRows', 'values', values)
  checkInteger('padRows', 'rowLength', rowLength)
  checkInteger('padRows', 'blockSize', blockSize, 1)
  if (rowLength % blockSize === 0) return values
  const wide = Math.ceil(rowLength / blockSize) * blockSize
  const rows = wholeRows('padRows', values.length, rowLength)
  checkInteger('padRows', 'the length of the padded rows', rows * wide, 0, mostElements)
  const padded = (
    values instanceof Float64Array ? new Float64Array(rows * wide) : new Float32Array(rows * wide)
  ) as V
  if (fill !== 0) padded.fill(fill)
  for (let row = 0; row < rows; row++) {
    padded.set(values.subarray(row * rowLength, (row + 1) * rowLength), row * wide)
  }
  return padded
}

/**
 * The rows again, without what was added.
 *
 * @example unpadRows(Float32Array.of(1, 2, 0, 3, 4, 0), 2, 3) // [1, 2, 3, 4]
 */
export function unpadRows(padded: Float32Array, rowLength: number, blockSize: number): Float32Array {
  checkArray('unpadRows', 'padded', padded)
  checkInteger('unpadRows', 'rowLength', rowLength)
  checkInteger('unpadRows', 'blockSize', blockSize, 1)
  if (rowLength % blockSize === 0) return padded
  const wide = Math.ceil(rowLength / blockSize) * blockSize
  if (!(padded instanceof Float32Array)) {
    throw new TypeError(`unpadRows: padded is not a Float32Array [${shown(padded)}]`)
  }
  const rows = wholeRows('unpadRows', padded.length, wide)
  const values = new Float32Array(rows * rowLength)
  for (let row = 0; row < rows; row++) {
    values.set(padded.subarray(row * wide, row * wide + rowLength), row * rowLength)
  }
  return values
}

/** More elements than a typed array holds. */
const mostElements = 2 ** 32

function wholeRows(op: string, length: number, rowLength: number): number {
  if (length % rowLength === 0) return length / rowLength
  throw new RangeError(`${op}: not whole rows of ${rowLength} numbers [${length}]`)
}
