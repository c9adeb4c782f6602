import { checkPath } from '../options/index.js'
import type { Tensor } from '../tensor/index.js'
import { openBytes } from './openBytes.js'
import {
  type Header,
  headerLength,
  type PlacedEntry,
  parseHeader,
  type SafetensorsEntry,
} from './parseHeader.js'
import { readEntry } from './readEntry.js'
import { rowsOf } from './rowsOf.js'

/** An open safetensors file of which tensors are read one at a time. */
export interface SafetensorsFile {
  /** The names, in the order of the data. */
  readonly names: readonly string[]
  /** Dtype, shape and size of every tensor, in the order of the data. */
  readonly entries: readonly SafetensorsEntry[]
  readonly metadata: Readonly<Record<string, string>>
  /** Reads one tensor, integers as `decodeSafetensors` reads them. */
  read(name: string): Tensor
  /**
   * Reads rows start to end (not included) of one tensor, along its first axis; nothing else of it is read. Integers of 64
   * bits are float64 here and in `readElements`, whatever they are, so that all parts of a tensor are alike.
   */
  readRows(name: string, start: number, end: number): Tensor
  /** Reads elements start to end (not included) of one tensor, in row-major order, as a tensor of one axis. */
  readElements(name: string, start: number, end: number): Tensor
  /** Reads the bytes of one tensor, of any dtype. */
  readBytes(name: string): Uint8Array
  /** Closes the file; nothing can be read afterwards. */
  close(): void
}

/**
 * Opens a safetensors file: its header is read and checked as `decodeSafetensors` does, its tensors when asked for.
 *
 * Throws    RangeError for a header as `decodeSafetensors` refuses it.
 * Cost      memory for the header, and for the tensors that are read.
 */
export function openSafetensors(path: string | URL): SafetensorsFile {
  checkPath('openSafetensors', path)
  const { header, read, close } = openSource('openSafetensors', path)
  const entries: ReadonlyMap<string, PlacedEntry> = new Map(
    header.entries.map((entry) => [entry.name, entry]),
  )
  const find = (op: string, name: string): PlacedEntry => {
    const entry = entries.get(name)
    if (!entry) throw new RangeError(`${op}: no tensor of this name [${String(name).slice(0, 50)}]`)
    return entry
  }
  return {
    names: [...entries.keys()],
    entries: header.entries.map(entryFacts),
    metadata: Object.fromEntries(header.metadata),
    read: (name) => readEntry('read', find('read', name), read),
    readRows: (name, start, end) => {
      const entry = find('readRows', name)
      const [rows, rowBytes] = rowsOf('readRows', name.slice(0, 50), entry, start, end)
      return readEntry(
        'readRows',
        {
          ...entry,
          shape: [rows, ...entry.shape.slice(1)],
          start: entry.start + start * rowBytes,
          bytes: rows * rowBytes,
        },
        read,
        true,
      )
    },
    readElements: (name, start, end) => {
      const entry = find('readElements', name)
      const elements = entry.shape.reduce((product, side) => product * side, 1)
      const flat = { shape: [elements], bytes: entry.bytes }
      const [count, width] = rowsOf('readElements', name.slice(0, 50), flat, start, end, 'elements')
      const part = { shape: [count], start: entry.start + start * width, bytes: count * width }
      return readEntry('readElements', { ...entry, ...part }, read, true)
    },
    readBytes: (name) => {
      const { start, bytes } = find('readBytes', name)
      return read(start, bytes)
    },
    close,
  }
}

/** What an entry tells a user. */
export function entryFacts({ name, dtype, stored, shape, bytes }: PlacedEntry): SafetensorsEntry {
  return { name, dtype, stored, shape, bytes }
}

/** A checked header, and its data by place. */
export interface Source {
  readonly header: Header
  /** Fresh bytes of the data, counted from the end of the header. */
  readonly read: (start: number, bytes: number) => Uint8Array
  readonly close: () => void
}

/** Opens a file, closed again where its header is refused. */
export function openSource(op: string, path: string | URL): Source {
  const { size, read: readAt, close } = openBytes(op, path)
  try {
    const length = headerLength(op, readAt(0, Math.min(8, size)), size)
    const header = parseHeader(op, readAt(8, length), size - 8 - length)
    return { header, close, read: (start, n) => readAt(8 + length + start, n) }
  } catch (error) {
    close()
    throw error
  }
}
