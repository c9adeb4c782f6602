import { checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import type { DType, Tensor } from '../../tensors/tensor/index.js'
import { type BigIntegers, type Integers, integersOf } from './integers.js'
import { type NpyHeader, readNpyHeader } from './npyHeader.js'
import { orderedBytes } from './npyOrder.js'
import { tensorOf } from './tensorBytes.js'

/** How an npy file is read. */
export interface NpyOptions {
  /** What bytes without a meaning ('<V1', '|u1', '<u2' ...) are codes of. Default: '<V2' is bfloat16, integers are integers. */
  readonly dtype?: DType
  /** What becomes of integers. Default 'exact'. */
  readonly integers?: Integers
}

export const npyNames: OptionTable<NpyOptions> = { dtype: 'optional', integers: 'optional' }

/** Checks the options of a reader of npy; returns what integers become. */
export function checkNpyOptions(op: string, options: NpyOptions): Integers {
  checkOptions(op, options, npyNames)
  return checkIntegers(op, options.integers)
}

/** What integers become. */
export function checkIntegers(op: string, integers: Integers = 'exact'): Integers {
  checkName(op, 'integers', integers, ['exact', 'bigint', 'same'])
  return integers
}

/**
 * The tensor in the bytes of an npy file of version 1.0, 2.0 or 3.0; it shares no memory with them.
 *
 * Dtype     as `encodeNpy` stores them, in either byte order. Integers of 8 and 16 bits are read as int32 or uint32; those
 *           of 64 bits as these where all of them fit, else as float64 where it holds each one; with `integers: 'bigint'`
 *           as a `BigIntegers`. With `integers: 'same'`, and where `dtype` names it, an integer dtype stays what it is.
 * Shape     row-major whatever order the file has: an array in Fortran order is transposed.
 * Rounding  none.
 * Throws    TypeError for a dtype that is none of ours ('<c8', '<U3', structured and pickled arrays ...), to be converted
 *           in NumPy first. RangeError that says why for a header that is longer than 10,000 bytes, is anything but a
 *           dictionary of descr, fortran_order and shape, each once, or has more than 64 axes; for data that are not
 *           exactly as long as it says (NumPy ignores bytes after the array); for a bool of 2; for an integer of 64 bits
 *           that float64 does not hold.
 *
 * @example decodeNpy(encodeNpy(tensor([1, -0]))).toBits() // [0x3f800000, 0x80000000]
 */
export function decodeNpy(
  bytes: Uint8Array,
  options: NpyOptions & { readonly integers: 'bigint' },
): Tensor | BigIntegers
export function decodeNpy(
  bytes: Uint8Array,
  options?: NpyOptions & { readonly integers?: 'exact' | 'same' },
): Tensor
export function decodeNpy(bytes: Uint8Array, options: NpyOptions = {}): Tensor | BigIntegers {
  const op = 'decodeNpy'
  const integers = checkNpyOptions(op, options)
  checkBytes(op, bytes)
  return decodeNamed(op, 'the array', bytes, options.dtype, integers)
}

/** Throws a TypeError unless these are the bytes of a file. */
export function checkBytes(op: string, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`${op}: not the bytes of a file, a Uint8Array [${shown(bytes)}]`)
  }
}

/** The same under another name: a member of an npz file. */
export function decodeNamed(
  op: string,
  where: string,
  bytes: Uint8Array,
  dtype: DType | undefined,
  integers: Integers,
): Tensor | BigIntegers {
  // Not slice: that of a Buffer copies nothing.
  const read = (position: number, n: number): Uint8Array =>
    new Uint8Array(bytes.subarray(position, position + n))
  const header: NpyHeader = readNpyHeader(op, bytes.length, read, dtype)
  const data = orderedBytes(header, read(header.start, header.bytes))
  return header.integer
    ? integersOf(op, where, header.integer, header.shape, data, integers)
    : tensorOf(op, where, header.dtype, header.shape, data)
}
