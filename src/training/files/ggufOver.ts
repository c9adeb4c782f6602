import { fromStorage } from '../../numbers/storage/index.js'
import { type DType, sizeOf, Tensor } from '../../tensors/tensor/index.js'
import { type ByteSource, type CheckedSource, checkedSource } from './byteSource.js'
import { type GgufValue, type PlacedGguf, parseGguf } from './parseGguf.js'
import { readEntry } from './readEntry.js'
import { rowsOf } from './rowsOf.js'
import { dtypeOfStored } from './storedDtype.js'

/** A tensor of a GGUF file. */
export interface GgufEntry {
  readonly name: string
  /** ggml's name of its type: F32, BF16, Q4_K ... */
  readonly type: string
  /** What it is read as: float32 where it is quantised; undefined for integers that no dtype means, and types that are not read. */
  readonly dtype: DType | undefined
  /** In row-major order: ggml's lengths from the last to the first. */
  readonly shape: readonly number[]
  readonly bytes: number
}

/** An open GGUF file of which tensors are read one at a time. */
export interface GgufFile {
  /** 2 or 3. */
  readonly version: number
  readonly metadata: Readonly<Record<string, GgufValue>>
  readonly names: readonly string[]
  /** In the order of the header. */
  readonly entries: readonly GgufEntry[]
  /** Reads one tensor, a quantised one as float32. */
  read(name: string): Tensor
  /** Reads elements start to end (not included) of one tensor, in row-major order; of a quantised one only their blocks. */
  readElements(name: string, start: number, end: number): Tensor
  /** Reads the bytes of one tensor, of any type. */
  readBytes(name: string): Uint8Array
  /** Closes the file; nothing can be read afterwards. */
  close(): void
}

/**
 * A GGUF file over whatever gives its bytes: its header is read and checked, its tensors when asked for. Read are F32, F16,
 * BF16, F64, integers as `decodeSafetensors` reads them, and the storage formats of `tpu-toolkit/storage`, to the bits of
 * gguf-py; of the other types (IQ1 to IQ3, TQ, NVFP4) the bytes.
 *
 * Throws    TypeError for what is no source; RangeError for a header that is damaged or of no version 2 or 3, and where
 *           tensors do not lie in the file, aligned and apart.
 * Cost      memory for the header, and for the tensors that are read.
 * Source    ggml-org/ggml, docs/gguf.md.
 *
 * @example const bytes = Uint8Array.of(71, 71, 85, 70, 3, ...new Uint8Array(19))
 * ggufOver({ size: 24, read: (position, n) => bytes.slice(position, position + n) }).names // []
 */
export function ggufOver(source: ByteSource): GgufFile {
  return ggufFile('ggufOver', checkedSource('ggufOver', source))
}

/** The file over a source, which is closed where its header is refused. */
export function ggufFile(op: string, source: CheckedSource): GgufFile {
  try {
    return opened(op, source)
  } catch (error) {
    source.close()
    throw error
  }
}

function opened(opening: string, { size, read, close }: CheckedSource): GgufFile {
  const header = parseGguf(opening, { size, read, close })
  const entries = new Map(header.entries.map((entry) => [entry.name, entry]))
  const find = (op: string, name: string): PlacedGguf => {
    const entry = entries.get(name)
    if (!entry) throw new RangeError(`${op}: no tensor of this name [${String(name).slice(0, 50)}]`)
    return entry
  }
  return {
    version: header.version,
    metadata: Object.fromEntries(header.metadata),
    names: [...entries.keys()],
    entries: header.entries.map(factsOf),
    read: (name) => readPart('read', find('read', name), read),
    readElements: (name, start, end) => {
      const entry = find('readElements', name)
      const elements = sizeOf(entry.shape)
      const { blockSize, blockBytes } = entry.type
      const flat = { shape: [elements], bytes: elements }
      const [count] = rowsOf('readElements', name.slice(0, 50), flat, start, end, 'elements')
      const first = Math.floor(start / blockSize)
      const blocks = count === 0 ? 0 : Math.ceil(end / blockSize) - first
      const part = {
        ...entry,
        shape: [blocks * blockSize],
        start: entry.start + first * blockBytes,
        bytes: blocks * blockBytes,
      }
      const whole = readPart('readElements', part, read, true)
      if (blockSize === 1) return whole
      const data = whole.data as Float32Array
      return new Tensor('float32', [count], data.slice(start - first * blockSize, end - first * blockSize))
    },
    readBytes: (name) => {
      const { start, bytes } = find('readBytes', name)
      return read(start, bytes)
    },
    close,
  }
}

function factsOf({ name, type, shape, bytes }: PlacedGguf): GgufEntry {
  const dtype = type.storage ? 'float32' : type.plain && dtypeOfStored(type.plain)
  return { name, type: type.name, dtype, shape, bytes }
}

type Read = (start: number, bytes: number) => Uint8Array

function readPart(
  op: string,
  { name, type, shape, start, bytes }: PlacedGguf,
  read: Read,
  part = false,
): Tensor {
  if (type.storage) return new Tensor('float32', shape, fromStorage(read(start, bytes), type.storage))
  if (type.plain === undefined) {
    throw new TypeError(
      `${op}: ${type.name} is not decoded, readBytes gives its bytes [${name.slice(0, 50)}]`,
    )
  }
  const entry = { name, dtype: dtypeOfStored(type.plain), stored: type.plain, shape, start, bytes }
  return readEntry(op, entry, read, part)
}
