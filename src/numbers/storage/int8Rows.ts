import { checkInteger, checkRecord } from '../../base/options/index.js'

/** Rows of 8-bit integers, each with one scale. */
export interface Int8Rows {
  /** -127 .. 127. */
  readonly codes: Int8Array
  /** The largest magnitude of each row. */
  readonly scales: Float32Array
}

const { fround } = Math
const reciprocal = fround(7.874015718698502e-3)

function checkRows(op: string, values: unknown, rowLength: number, kind: string): void {
  checkInteger(op, 'rowLength', rowLength, 1)
  const length =
    ArrayBuffer.isView(values) && values.constructor.name === kind ? (values as Int8Array).length : undefined
  if (length === undefined) throw new TypeError(`${op}: values are no ${kind} [${typeof values}]`)
  if (length % rowLength !== 0) {
    throw new RangeError(`${op}: length is no multiple of rowLength ${rowLength} [${length}]`)
  }
}

/**
 * Numbers as rows of int8 with one float32 scale each, as bitsandbytes' LLM.int8() has the rows without outliers.
 *
 * Rounding  value * (127 / largest magnitude) in float32, then to the nearest integer, ties to even.
 * Special   a row of zeros has the scale 0. NaN has code 0; so have all numbers beside an infinity, it 127 or -127.
 * Throws    RangeError where rowLength does not divide the length.
 * Source    bitsandbytes 0.50.2, backends/default/ops.py (int8_vectorwise_quant).
 *
 * @example toInt8Rows(Float32Array.of(1, -2, 0, 3), 2).codes // [64, -127, 0, 127]
 */
export function toInt8Rows(values: Float32Array, rowLength: number): Int8Rows {
  checkRows('toInt8Rows', values, rowLength, 'Float32Array')
  const codes = new Int8Array(values.length)
  const scales = new Float32Array(values.length / rowLength)
  for (let row = 0; row < scales.length; row++) {
    let scale = 0
    for (let i = row * rowLength; i < (row + 1) * rowLength; i++) {
      const size = Math.abs(values[i]!)
      if (size > scale) scale = size
    }
    scales[row] = scale
    const factor = fround(127 / scale)
    for (let i = row * rowLength; scale > 0 && i < (row + 1) * rowLength; i++) {
      const value = values[i]!
      codes[i] = Math.abs(value) === Infinity ? Math.sign(value) * 127 : nearestEven(fround(value * factor))
    }
  }
  return { codes, scales }
}

/** NaN gives 0; a product with an infinite factor, of a subnormal scale, an end of the range. */
function nearestEven(x: number): number {
  const limited = Math.min(Math.max(x || 0, -127), 127)
  return limited + 1.5 * 2 ** 52 - 1.5 * 2 ** 52
}

/**
 * The numbers that rows of int8 stand for: code * scale, then times float32's 1 / 127.
 *
 * Throws  RangeError where rowLength does not divide the length, or the scales are not one a row.
 *
 * @example fromInt8Rows(toInt8Rows(Float32Array.of(0.5, -2), 2), 2).join() // 0.5039370059967041,-2
 */
export function fromInt8Rows(rows: Int8Rows, rowLength: number): Float32Array {
  checkRecord('fromInt8Rows', 'rows', rows, ['codes', 'scales'])
  const { codes, scales } = rows
  checkRows('fromInt8Rows', codes, rowLength, 'Int8Array')
  if (scales.length * rowLength !== codes.length) {
    throw new RangeError(
      `fromInt8Rows: scales are not one a row [${scales.length} of ${codes.length / rowLength}]`,
    )
  }
  return Float32Array.from(codes, (code, i) => fround(code * scales[Math.floor(i / rowLength)]!) * reciprocal)
}
