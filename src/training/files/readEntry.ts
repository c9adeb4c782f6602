import type { Tensor } from '../../tensors/tensor/index.js'
import { type BigIntegers, type Integers, integersOf, integerTensor } from './integers.js'
import type { PlacedEntry } from './parseHeader.js'
import { integerOfStored } from './storedDtype.js'
import { tensorOf } from './tensorBytes.js'

type Read = (start: number, bytes: number) => Uint8Array

/** Whether an entry is read as a tensor or as integers: not complex numbers, nor elements that share bytes. */
export function isReadable({ dtype, stored }: PlacedEntry): boolean {
  return dtype !== undefined || integerOfStored(stored) !== undefined
}

/** The tensor of an entry, from fresh bytes that `read` gets. `part`: one of several, which are all of one dtype. */
export function readEntry(op: string, entry: PlacedEntry, read: Read, part: boolean = false): Tensor {
  const { name, dtype, stored, shape, start, bytes } = entry
  const where = name.slice(0, 50)
  if (dtype) return tensorOf(op, where, dtype, shape, read(start, bytes))
  const integer = integerOfStored(stored)
  if (integer) return integerTensor(op, where, integer, shape, read(start, bytes), part)
  throw new TypeError(`${op}: no dtype for ${stored}, read its bytes from openSafetensors [${where}]`)
}

/** The same, 64-bit integers as is asked. */
export function readWhole(
  op: string,
  entry: PlacedEntry,
  read: Read,
  integers: Integers,
): Tensor | BigIntegers {
  const integer = entry.dtype === undefined && integerOfStored(entry.stored)
  if (!integer) return readEntry(op, entry, read)
  const { name, shape, start, bytes } = entry
  return integersOf(op, name.slice(0, 50), integer, shape, read(start, bytes), integers)
}
