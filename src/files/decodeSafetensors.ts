import type { Tensor } from '../tensor/index.js'
import type { Tree } from '../tree/index.js'
import { treeOf } from './extras.js'
import { openSource } from './openSafetensors.js'
import { type Header, headerLength, parseHeader } from './parseHeader.js'
import { readEntry } from './readEntry.js'

/** All of a safetensors file. */
export interface SafetensorsContents {
  /** The tensors by name, in the order of the file's data. */
  readonly tensors: Readonly<Record<string, Tensor>>
  /** The file's `__metadata__`, without what this package keeps there for itself. */
  readonly metadata: Readonly<Record<string, string>>
  /** The tensors as the tree that was written; of a foreign file, what the dots in the names tell. */
  tree(): Tree
}

/**
 * The tensors in the bytes of a safetensors file; they share no memory with it.
 *
 * Dtype     as `encodeSafetensors` stores them. A dtype that is none of ours (I64, U8 without a note, F4 ...) is a
 *           TypeError: `openSafetensors` reads the other tensors of such a file, and these as bytes.
 * Rounding  none.
 * Special   a header is refused, as a RangeError that says why, when it is longer than 100,000,000 bytes, not UTF-8,
 *           not JSON, nested too deep, has a key twice or a number that is not in plain digits; when a dtype is
 *           unknown, or a shape does not fill its byte range, or ends within a byte; when ranges overlap, leave a hole
 *           or reach out of the file. Python's safetensors 0.6 takes two things that are refused here: a key twice,
 *           and a tensor described by an array; and codes that are none, such as a bool of 2.
 */
export function decodeSafetensors(bytes: Uint8Array): SafetensorsContents {
  const op = 'decodeSafetensors'
  const length = headerLength(op, bytes, bytes.length)
  const data = bytes.subarray(8 + length)
  const header = parseHeader(op, bytes.subarray(8, 8 + length), data.length)
  return contents(op, header, (start, n) => new Uint8Array(data.subarray(start, start + n)))
}

/**
 * The tensors of a safetensors file, as `decodeSafetensors` reads them.
 *
 * Cost      the file is never in memory beside its tensors.
 */
export function readSafetensors(path: string | URL): SafetensorsContents {
  const op = 'readSafetensors'
  const source = openSource(op, path)
  try {
    return contents(op, source.header, source.read)
  } finally {
    source.close()
  }
}

function contents(
  op: string,
  header: Header,
  read: (start: number, bytes: number) => Uint8Array,
): SafetensorsContents {
  const tensors = new Map(header.entries.map((entry) => [entry.name, readEntry(op, entry, read)]))
  return {
    tensors: Object.fromEntries(tensors),
    metadata: Object.fromEntries(header.metadata),
    tree: () => treeOf(tensors, header.outline),
  }
}
