import type { CheckedSource } from './byteSource.js'
import { GgufBytes } from './ggufBytes.js'
import { type GgufType, ggufTypes } from './ggufTypes.js'

/** A value of a GGUF file's metadata; integers beyond 2^53 are bigint. */
export type GgufValue = number | bigint | boolean | string | readonly GgufValue[]

/** A tensor of a file as its header says, checked. */
export interface PlacedGguf {
  readonly name: string
  readonly type: GgufType
  readonly shape: readonly number[]
  /** Where its bytes begin in the file, and how many there are. */
  readonly start: number
  readonly bytes: number
}

/** What a GGUF header says. */
export interface GgufHeader {
  readonly version: number
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly entries: readonly PlacedGguf[]
}

/** ggml's limits. */
const most = { axes: 4, name: 64, key: 65_535, text: 2 ** 28, depth: 4 }

type Scalar = (bytes: GgufBytes) => GgufValue

const whole = (value: bigint): number | bigint =>
  BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value

function flag(bytes: GgufBytes): boolean {
  const byte = bytes.u8()
  if (byte > 1) throw new RangeError(`${bytes.op}: a bool is neither 0 nor 1 [${byte}]`)
  return byte === 1
}

/** By the number of a metadata value's type: bytes that it takes at least, and how it is read. 9 is an array. */
const scalars: ReadonlyMap<number, readonly [least: number, read: Scalar]> = new Map([
  [0, [1, (b: GgufBytes) => b.u8()]],
  [1, [1, (b: GgufBytes) => b.i8()]],
  [2, [2, (b: GgufBytes) => b.u16()]],
  [3, [2, (b: GgufBytes) => b.i16()]],
  [4, [4, (b: GgufBytes) => b.u32()]],
  [5, [4, (b: GgufBytes) => b.i32()]],
  [6, [4, (b: GgufBytes) => b.f32()]],
  [7, [1, flag]],
  [8, [8, (b: GgufBytes) => b.text('a text', most.text)]],
  [10, [8, (b: GgufBytes) => whole(b.u64())]],
  [11, [8, (b: GgufBytes) => whole(b.i64())]],
  [12, [8, (b: GgufBytes) => b.f64()]],
])

function value(bytes: GgufBytes, type: number, depth: number): GgufValue {
  const scalar = scalars.get(type)
  if (scalar) return scalar[1](bytes)
  if (type !== 9) throw new RangeError(`${bytes.op}: unknown type of a metadata value [${type}]`)
  if (depth === most.depth) {
    throw new RangeError(`${bytes.op}: arrays in more than ${depth} arrays [${depth}]`)
  }
  const element = bytes.u32()
  const count = bytes.count('elements of an array', scalars.get(element)?.[0] ?? 12)
  const list: GgufValue[] = []
  for (let i = 0; i < count; i++) list.push(value(bytes, element, depth + 1))
  return list
}

/**
 * Reads the header of a GGUF file and refuses every one whose tensors do not lie in the file, aligned and apart.
 * Source: the description of GGUF in ggml-org/ggml (docs/gguf.md), versions 2 and 3.
 */
export function parseGguf(op: string, source: CheckedSource): GgufHeader {
  const bytes = new GgufBytes(op, source)
  if (source.size < 24) {
    throw new RangeError(`${op}: shorter than the 24 bytes that begin a GGUF file [${source.size}]`)
  }
  const magic = bytes.u32()
  if (magic !== 0x46554747) throw new RangeError(`${op}: does not begin with GGUF [0x${magic.toString(16)}]`)
  const version = bytes.u32()
  if (version !== 2 && version !== 3) {
    const bigEndian = version === 0x02000000 || version === 0x03000000
    throw new RangeError(
      `${op}: ${bigEndian ? 'a file of big-endian numbers' : 'neither version 2 nor 3'} [${version}]`,
    )
  }
  // A tensor has a name's length, its number of axes, type and place; a key a length, a type and a byte.
  const tensors = bytes.count('tensors', 24)
  const keys = bytes.count('keys of metadata', 13)
  const metadata = new Map<string, GgufValue>()
  for (let i = 0; i < keys; i++) {
    const key = bytes.text('a key', most.key)
    if (metadata.has(key)) throw new RangeError(`${op}: a key twice [${key.slice(0, 50)}]`)
    metadata.set(key, value(bytes, bytes.u32(), 0))
  }
  const alignment = metadata.get('general.alignment') ?? 32
  if (typeof alignment !== 'number' || !Number.isInteger(alignment) || alignment < 1 || alignment % 8 !== 0) {
    throw new RangeError(`${op}: general.alignment is no multiple of 8 [${String(alignment).slice(0, 50)}]`)
  }
  const entries = Array.from({ length: tensors }, () => parseEntry(bytes, alignment))
  const data = Math.ceil(bytes.place / alignment) * alignment
  const placed = entries.map((entry) => ({ ...entry, start: data + entry.start }))
  checkPlaces(op, placed, source.size)
  return { version, metadata, entries: placed }
}

function parseEntry(bytes: GgufBytes, alignment: number): PlacedGguf {
  const { op } = bytes
  const name = bytes.text('a name', most.name * 4)
  const where = name.slice(0, 50)
  const axes = bytes.u32()
  if (axes > most.axes) throw new RangeError(`${op}: ${where} has more than ${most.axes} axes [${axes}]`)
  const lengths = Array.from({ length: axes }, () => bytes.u64())
  const size = lengths.reduce((product, length) => product * length, 1n)
  // Lengths beside a 0 count too: their product alone would not show them.
  if (size > Number.MAX_SAFE_INTEGER || lengths.some((length) => length > Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`${op}: ${where} has more elements than a number counts [${lengths.join(', ')}]`)
  }
  const number = bytes.u32()
  const type = ggufTypes.get(number)
  if (type === undefined) throw new RangeError(`${op}: ${where} is of an unknown type [${number}]`)
  const row = Number(lengths[0] ?? 1n)
  if (row % type.blockSize !== 0) {
    throw new RangeError(`${op}: rows of ${where} are no whole blocks of ${type.name} [${row}]`)
  }
  const offset = bytes.u64()
  if (offset > Number.MAX_SAFE_INTEGER || Number(offset) % alignment !== 0) {
    throw new RangeError(`${op}: ${where} does not begin at a multiple of ${alignment} [${offset}]`)
  }
  // ggml's first axis is the one whose elements are neighbours.
  const shape = lengths.map(Number).reverse()
  return {
    name,
    type,
    shape,
    start: Number(offset),
    bytes: (Number(size) / type.blockSize) * type.blockBytes,
  }
}

function checkPlaces(op: string, entries: readonly PlacedGguf[], fileBytes: number): void {
  const names = new Set<string>()
  for (const { name, start, bytes } of entries) {
    const where = name.slice(0, 50)
    if (names.has(name)) throw new RangeError(`${op}: a tensor twice [${where}]`)
    names.add(name)
    if (bytes > fileBytes - start && bytes > 0) {
      throw new RangeError(
        `${op}: ${where} does not lie in the file of ${fileBytes} bytes [${start} + ${bytes}]`,
      )
    }
  }
  const ordered = entries.filter(({ bytes }) => bytes > 0).sort((a, b) => a.start - b.start)
  ordered.forEach(({ name, start }, i) => {
    const before = ordered[i - 1]
    if (before && before.start + before.bytes > start) {
      throw new RangeError(
        `${op}: ${name.slice(0, 50)} begins inside another tensor [${before.name.slice(0, 50)}]`,
      )
    }
  })
}
