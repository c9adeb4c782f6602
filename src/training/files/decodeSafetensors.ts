import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { checkBytes, checkIntegers } from './decodeNpy.js'
import { treeOf } from './extras.js'
import type { BigIntegers, Integers } from './integers.js'
import { type Header, headerLength, parseHeader, type SafetensorsEntry } from './parseHeader.js'
import { isReadable, readWhole } from './readEntry.js'
import { entryFacts } from './safetensorsOver.js'

/** How a safetensors file is read. */
export interface SafetensorsReadOptions {
  /** What becomes of integers; see `Integers`. Default 'exact'. */
  readonly integers?: Integers
}

export const readNames: OptionTable<SafetensorsReadOptions> = { integers: 'optional' }

/** All of a safetensors file that is read. */
export interface SafetensorsContents<T = Tensor> {
  /** The tensors by name, in the order of the file's data. */
  readonly tensors: Readonly<Record<string, T>>
  /** What could not be read: of complex numbers (C64), or of elements that share bytes (F4, F6). */
  readonly unread: readonly SafetensorsEntry[]
  /** The file's `__metadata__`, without what this package keeps there for itself. */
  readonly metadata: Readonly<Record<string, string>>
  /**
   * The tensors as the tree that was written; of a foreign file, what the dots in the names tell. A RangeError where names
   * have more than 127 dots, or mean a leaf and a branch at once.
   */
  tree(): Tree<T>
}

/**
 * The tensors in the bytes of a safetensors file; they share no memory with it.
 *
 * Dtype     as `encodeSafetensors` stores them, and the names that safetensors 0.7 added. Integers of 8 and 16 bits are
 *           read as int32 or uint32, U8 without a note among them; those of 64 bits as `decodeNpy` reads them, and with
 *           `integers: 'same'` all as they are; those that `encodeSafetensors` wrote come back as they were. What is none
 *           of ours (C64, F4, F6) is listed in `unread`: `openSafetensors` reads its bytes.
 * Rounding  none.
 * Throws    RangeError that says why for a header that is longer than 100,000,000 bytes, not UTF-8, not JSON, nests deeper
 *           than 128 levels, has more than 262,144 entries at one place, a key twice or a number that is not in plain
 *           digits; when a dtype is unknown, or a shape does not fill its byte range, or ends within a byte; when ranges
 *           overlap, leave a hole or reach out of the file. Python's safetensors takes two things that are refused here: a
 *           key twice, and a tensor described by an array; and codes that are none, such as a bool of 2.
 */
export function decodeSafetensors(
  bytes: Uint8Array,
  options: SafetensorsReadOptions & { readonly integers: 'bigint' },
): SafetensorsContents<Tensor | BigIntegers>
export function decodeSafetensors(
  bytes: Uint8Array,
  options?: SafetensorsReadOptions & { readonly integers?: 'exact' | 'same' },
): SafetensorsContents
export function decodeSafetensors(
  bytes: Uint8Array,
  options: SafetensorsReadOptions = {},
): SafetensorsContents<Tensor | BigIntegers> {
  const op = 'decodeSafetensors'
  checkOptions(op, options, readNames)
  const integers = checkIntegers(op, options.integers)
  checkBytes(op, bytes)
  const length = headerLength(op, bytes, bytes.length)
  const data = bytes.subarray(8 + length)
  const header = parseHeader(op, bytes.subarray(8, 8 + length), data.length)
  return contentsOf(op, header, (start, n) => new Uint8Array(data.subarray(start, start + n)), integers)
}

/** The tensors behind a header that was read. */
export function contentsOf(
  op: string,
  header: Header,
  read: (start: number, bytes: number) => Uint8Array,
  integers: Integers,
): SafetensorsContents<Tensor | BigIntegers> {
  const tensors = new Map(
    header.entries.filter(isReadable).map((entry) => [entry.name, readWhole(op, entry, read, integers)]),
  )
  return {
    tensors: Object.fromEntries(tensors),
    unread: header.entries.filter((entry) => !isReadable(entry)).map(entryFacts),
    metadata: Object.fromEntries(header.metadata),
    tree: () => treeOf(tensors, header.outline),
  }
}
