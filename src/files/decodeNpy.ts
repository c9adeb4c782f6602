import type { DType, Tensor } from '../tensor/index.js'
import { type NpyHeader, readNpyHeader } from './npyHeader.js'
import { orderedBytes } from './npyOrder.js'
import { tensorOf } from './tensorBytes.js'

/** How an npy file is read. */
export interface NpyOptions {
  /** What bytes without a meaning ('<V1', '|u1', '<u2' ...) are codes of. Default: '<V2' is bfloat16, no other is read. */
  readonly dtype?: DType
}

/**
 * The tensor in the bytes of an npy file of version 1.0, 2.0 or 3.0; it shares no memory with them.
 *
 * Dtype     as `encodeNpy` stores them, in either byte order. A dtype that is none of ours ('<i8', '<c8', '<U3', '|u1',
 *           structured and pickled arrays ...) is a TypeError; convert it in NumPy first.
 * Shape     row-major whatever order the file has: an array in Fortran order is transposed.
 * Rounding  none.
 * Special   a file is refused, as a RangeError that says why, when its header is longer than 10,000 bytes, is anything
 *           but a dictionary of descr, fortran_order and shape, each once, or when the data are not exactly as long as
 *           it says. NumPy ignores bytes after the array; here they are refused. A bool of 2 is refused too.
 *
 * @example decodeNpy(encodeNpy(tensor([1, -0]))).toBits() // [0x3f800000, 0x80000000]
 */
export function decodeNpy(bytes: Uint8Array, options: NpyOptions = {}): Tensor {
  return decodeNamed('decodeNpy', 'the array', bytes, options.dtype)
}

/** The same under another name: a member of an npz file. */
export function decodeNamed(op: string, where: string, bytes: Uint8Array, dtype: DType | undefined): Tensor {
  // Not slice: that of a Buffer copies nothing.
  const read = (position: number, n: number): Uint8Array =>
    new Uint8Array(bytes.subarray(position, position + n))
  const header: NpyHeader = readNpyHeader(op, bytes.length, read, dtype)
  return tensorOf(
    op,
    where,
    header.dtype,
    header.shape,
    orderedBytes(header, read(header.start, header.bytes)),
  )
}
