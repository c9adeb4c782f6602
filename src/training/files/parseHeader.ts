import type { DType, Shape } from '../../tensors/tensor/index.js'
import { type Extras, readExtras } from './extras.js'
import { bitsOfStored, dtypeOfStored, isStoredDType, type StoredDType } from './storedDtype.js'
import { hasLoneSurrogate, strictJson } from './strictJson.js'

/** One tensor of a file, as its header describes it. */
export interface SafetensorsEntry {
  readonly name: string
  /** What the tensor is of; undefined where no dtype of ours is meant: integers as I64 and U8 alone, C64, packed F4 ... */
  readonly dtype: DType | undefined
  /** The dtype as the file names it. */
  readonly stored: StoredDType
  readonly shape: Shape
  /** How many bytes it takes in the file. */
  readonly bytes: number
}

/** An entry with where its bytes begin, counted from the end of the header. */
export interface PlacedEntry extends SafetensorsEntry {
  readonly start: number
}

/** What a header says, checked. */
export interface Header extends Extras {
  /** In the order of the data. */
  readonly entries: readonly PlacedEntry[]
}

/** The largest header that is read, in bytes; Python's reader has the same limit. */
export const maxHeaderBytes = 100_000_000

/** The length of the header from the first 8 bytes of a file of `fileBytes` bytes. */
export function headerLength(op: string, prefix: Uint8Array, fileBytes: number): number {
  if (prefix.length < 8) {
    throw new RangeError(`${op}: shorter than the 8 bytes of a header length [${fileBytes}]`)
  }
  const length = new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true)
  if (length > BigInt(maxHeaderBytes)) {
    throw new RangeError(`${op}: the header is longer than ${maxHeaderBytes} bytes [${length}]`)
  }
  if (8 + Number(length) > fileBytes) {
    throw new RangeError(`${op}: ends inside the header of ${length} bytes [${fileBytes}]`)
  }
  return Number(length)
}

/**
 * Reads a header and refuses every one that does not tell of each data byte exactly once.
 * `dataBytes` is what the file has after the header.
 */
export function parseHeader(op: string, header: Uint8Array, dataBytes: number): Header {
  const root = strictJson(op, decodeText(op, header))
  if (!isRecord(root)) throw new RangeError(`${op}: the header is not an object [${typeName(root)}]`)
  const entries = Object.entries(root)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, entry]) => parseEntry(op, name, entry))
    .sort((a, b) => a.start - b.start || a.bytes - b.bytes)
  checkCover(op, entries, dataBytes)
  const stored = new Map(entries.map((entry) => [entry.name, entry.stored]))
  const extras = readExtras(op, parseMetadata(op, root['__metadata__']), stored)
  return {
    ...extras,
    entries: entries.map((entry) => ({ ...entry, dtype: extras.dtypes.get(entry.name) ?? entry.dtype })),
  }
}

function decodeText(op: string, header: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(header)
  } catch {
    throw new RangeError(`${op}: the header is not UTF-8 [${header.length} bytes]`)
  }
}

function parseEntry(op: string, name: string, entry: unknown): PlacedEntry {
  const refuse = (what: string, value: unknown): never => {
    throw new RangeError(`${op}: ${what} [${name.slice(0, 50)}: ${JSON.stringify(value)?.slice(0, 50)}]`)
  }
  if (!isRecord(entry)) return refuse('not a description of a tensor', entry)
  const { dtype: stored, shape, data_offsets: offsets } = entry
  if (!isStoredDType(stored)) return refuse('no such dtype in the format', stored)
  if (!isSizes(shape)) return refuse('not a shape', shape)
  if (!isSizes(offsets) || offsets.length !== 2) return refuse('not a pair of offsets', offsets)
  const [start, end] = offsets as [number, number]
  if (end < start) return refuse('a byte range that ends before it begins', offsets)
  const bits = shape.reduce((product, length) => checked(product * length), bitsOfStored(stored))
  if (Number.isNaN(bits)) return refuse('a shape too large for any file', shape)
  if (bits % 8 !== 0) return refuse(`${stored} elements that do not end at a whole byte`, shape)
  if (end - start !== bits / 8) {
    return refuse(`shape and dtype need ${bits / 8} bytes, the range has ${end - start}`, offsets)
  }
  return { name, stored, dtype: dtypeOfStored(stored), shape, start, bytes: end - start }
}

/** NaN from the first product on that a number cannot hold exactly. */
function checked(product: number): number {
  return Number.isSafeInteger(product) ? product : Number.NaN
}

function checkCover(op: string, entries: readonly PlacedEntry[], dataBytes: number): void {
  let at = 0
  for (const { name, start, bytes } of entries) {
    const shown = name.slice(0, 50)
    if (start + bytes > dataBytes) {
      throw new RangeError(`${op}: reaches past the ${dataBytes} bytes of data [${shown}: ${start + bytes}]`)
    }
    if (start < at) throw new RangeError(`${op}: overlaps the tensor before it [${shown}: ${start} < ${at}]`)
    if (start > at) throw new RangeError(`${op}: a hole before this tensor [${shown}: ${at} to ${start}]`)
    at += bytes
  }
  if (at !== dataBytes) throw new RangeError(`${op}: bytes after the last tensor [${at} to ${dataBytes}]`)
}

function parseMetadata(op: string, value: unknown): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map()
  if (!isRecord(value)) throw new RangeError(`${op}: metadata is not an object [${typeName(value)}]`)
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string' || hasLoneSurrogate(text)) {
      throw new RangeError(`${op}: metadata that is not a string [${key.slice(0, 50)}]`)
    }
  }
  return new Map(Object.entries(value as Record<string, string>))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0)
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
