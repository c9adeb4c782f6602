import { sizeOf, type Tensor } from '../../tensors/tensor/index.js'
import { type ByteSource, type CheckedSource, checkedSource } from './byteSource.js'
import {
  type Header,
  headerLength,
  type PlacedEntry,
  parseHeader,
  type SafetensorsEntry,
} from './parseHeader.js'
import { readEntry } from './readEntry.js'
import { rowsOf } from './rowsOf.js'

/** An open safetensors file whose tensors are read one at a time. */
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
 * A safetensors file over whatever gives its bytes: its header is read and checked as `decodeSafetensors` does, its tensors
 * when asked for. Runs anywhere: in a worker of a page a Blob of any size is such a source, by FileReaderSync.
 *
 * Throws    TypeError for anything but a source; RangeError for a header that `decodeSafetensors` refuses, and if the source
 *           returns fewer bytes than requested.
 * Cost      memory for the header, and for the tensors that are read.
 *
 * @example const bytes = encodeSafetensors({ w: tensor([1, 2]) })
 * const over = { size: bytes.length, read: (position, n) => bytes.slice(position, position + n) }
 * safetensorsOver(over).readElements('w', 1, 2).toNested() // [2]
 */
export function safetensorsOver(source: ByteSource): SafetensorsFile {
  const op = 'safetensorsOver'
  return safetensorsFile(headedSource(op, checkedSource(op, source)))
}

/** The file over a source whose header was read. */
export function safetensorsFile({ header, read, close }: Source): SafetensorsFile {
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
      const elements = sizeOf(entry.shape)
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

/** The public facts of an entry. */
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

/** Reads the header of a source, which is closed where it is refused. */
export function headedSource(op: string, { size, read: readAt, close }: CheckedSource): Source {
  try {
    const length = headerLength(op, readAt(0, Math.min(8, size)), size)
    const header = parseHeader(op, readAt(8, length), size - 8 - length)
    return { header, close, read: (start, n) => readAt(8 + length + start, n) }
  } catch (error) {
    close()
    throw error
  }
}
