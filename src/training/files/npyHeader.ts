import type { DType, Shape } from '../../tensors/tensor/index.js'
import type { FileInteger } from './integers.js'
import { dtypeOfDescr } from './npyDescr.js'
import { parseNpyDictionary } from './npyDictionary.js'
import { widthOf } from './tensorBytes.js'

/** What the header of an npy file says, checked. */
export interface NpyHeader {
  readonly dtype: DType
  /** The dtype, where it is an integer that is read as int32 or uint32 unless it is to stay what it is. */
  readonly integer: FileInteger | undefined
  readonly shape: Shape
  /** Whether the first axis runs fastest, as in Fortran. */
  readonly fortranOrder: boolean
  readonly bigEndian: boolean
  /** Where the data begin. */
  readonly start: number
  /** How many bytes the data take. */
  readonly bytes: number
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]

/** The longest header that is read, in bytes; NumPy's own limit for files that are not trusted. */
export const maxNpyHeader = 10_000

/** Reads and checks a header; `read` gives bytes of the file, which has `size` of them. */
export function readNpyHeader(
  op: string,
  size: number,
  read: (position: number, n: number) => Uint8Array,
  asDtype: DType | undefined,
): NpyHeader {
  const prefix = read(0, Math.min(12, size))
  if (prefix.length < 10 || magic.some((byte, i) => prefix[i] !== byte)) {
    const hex = Array.from(prefix.subarray(0, 6), (byte) => byte.toString(16).padStart(2, '0'))
    throw new RangeError(`${op}: not an npy file [${hex.join('')}]`)
  }
  const [major, minor] = [prefix[6]!, prefix[7]!]
  if (major < 1 || major > 3 || minor !== 0) {
    throw new RangeError(`${op}: no such version of npy [${major}.${minor}]`)
  }
  const start = major === 1 ? 10 : 12
  if (size < start) throw new RangeError(`${op}: ends inside the header [${size}]`)
  const view = new DataView(prefix.buffer, prefix.byteOffset)
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true)
  if (length > maxNpyHeader) {
    throw new RangeError(`${op}: the header is longer than ${maxNpyHeader} bytes [${length}]`)
  }
  if (start + length > size) {
    throw new RangeError(`${op}: ends inside the header of ${length} bytes [${size}]`)
  }
  const words = read(start, length)
  const text =
    major === 3 ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(words) : String.fromCharCode(...words)
  const { descr, fortranOrder, shape } = parseNpyDictionary(op, text)
  const { dtype, integer, bigEndian } = dtypeOfDescr(op, descr, asDtype)
  const bytes = shape.reduce((product, n) => checked(product * n), widthOf(dtype))
  if (Number.isNaN(bytes)) throw new RangeError(`${op}: a shape too large for any file [${shape.join(', ')}]`)
  const found = size - start - length
  if (found !== bytes) {
    throw new RangeError(
      `${op}: ${descr} of shape [${shape.join(', ')}] needs ${bytes} bytes of data [${found}]`,
    )
  }
  return { dtype, integer, shape, fortranOrder, bigEndian, start: start + length, bytes }
}

/** The header as NumPy writes it: padded so that the data begin at a multiple of 64. */
export function npyHeaderBytes(op: string, descr: string, shape: Shape): Uint8Array {
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  // NumPy leaves room for the first axis to grow to 21 digits in place.
  const room = shape.length === 0 ? 0 : 21 - String(shape[0]).length
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${tuple}), }${' '.repeat(room)}`
  // At least one blank, as NumPy pads: a header that ends at a multiple of 64 gets 64 more.
  const length = Math.floor((10 + text.length + 1) / 64 + 1) * 64 - 10
  if (length > maxNpyHeader) {
    throw new RangeError(`${op}: the header would be longer than ${maxNpyHeader} bytes [${length}]`)
  }
  const bytes = new Uint8Array(10 + length).fill(0x20)
  bytes.set([...magic, 1, 0])
  new DataView(bytes.buffer).setUint16(8, length, true)
  // Only ASCII: a descr is one of ours.
  bytes.set(new TextEncoder().encode(text), 10)
  bytes[9 + length] = 0x0a
  return bytes
}

function checked(product: number): number {
  return Number.isSafeInteger(product) ? product : Number.NaN
}
