import type { Tensor } from '../tensor/index.js'
import type { PlacedEntry } from './parseHeader.js'
import { tensorOf } from './tensorBytes.js'

/** The tensor of an entry, from fresh bytes that `read` gets. */
export function readEntry(
  op: string,
  entry: PlacedEntry,
  read: (start: number, bytes: number) => Uint8Array,
): Tensor {
  const { name, dtype, stored, shape, start, bytes } = entry
  if (!dtype)
    throw new TypeError(
      `${op}: no dtype for ${stored}, read its bytes from openSafetensors [${name.slice(0, 50)}]`,
    )
  return tensorOf(op, name.slice(0, 50), dtype, shape, read(start, bytes))
}
