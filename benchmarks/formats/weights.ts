import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { decodeArray } from 'tpu-toolkit/formats'
import { type DataTensor, type Piece, rowsOf } from './dataSet.js'

/** What is wrong with a weights file, in one line. */
export class WeightsError extends Error {}

/** The tensors of a safetensors file: those that hold floats, and the names of the others with the reason. */
export interface Weights {
  readonly tensors: readonly DataTensor[]
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
  readonly close: () => void
}

interface FloatStorage {
  readonly bytes: number
  /** Bytes in memory of their own, from its beginning on, to numbers. */
  readonly read: (bytes: ArrayBuffer) => Float32Array
}

/** The dtypes that are read, by the name in the file; float64 is rounded to float32. */
const floats: Readonly<Record<string, FloatStorage>> = {
  F64: { bytes: 8, read: (bytes) => Float32Array.from(new Float64Array(bytes)) },
  F32: { bytes: 4, read: (bytes) => new Float32Array(bytes) },
  F16: { bytes: 2, read: (bytes) => decodeArray(new Uint16Array(bytes), 'float16') },
  BF16: { bytes: 2, read: (bytes) => decodeArray(new Uint16Array(bytes), 'bfloat16') },
  F8_E4M3: { bytes: 1, read: (bytes) => decodeArray(new Uint8Array(bytes), 'float8_e4m3fn') },
  F8_E5M2: { bytes: 1, read: (bytes) => decodeArray(new Uint8Array(bytes), 'float8_e5m2') },
}

/** The longest header that the format's own reader takes. */
const longestHeader = 100_000_000
/** Values read at a time; a multiple of every block size. */
const pieceValues = 2 ** 18

/**
 * Opens a safetensors file (github.com/huggingface/safetensors) and reads its header: 8 bytes with the header's length,
 * the header as JSON, the bytes of the tensors one after another. Tensors are read piece by piece when they are asked
 * for; the file stays open until `close`. Anything that is not as the format has it is a WeightsError.
 */
export function openWeights(path: string): Weights {
  const file = opened(path)
  try {
    const { size } = fstatSync(file)
    const start = 8 + headerLength(file, size)
    const entries = parseHeader(readBytes(file, 8, start - 8)).map(([name, facts]) => entryOf(name, facts))
    checkPlaces(entries, size - start)
    const kept = entries.filter((entry) => skipReason(entry) === undefined)
    const tensors = kept.map(({ name, dtype, shape, from }): DataTensor => {
      const place = start + from
      return { name, shape, pieces: () => pieces(file, floats[dtype]!, shape, place) }
    })
    const skipped = entries.flatMap((entry) => {
      const why = skipReason(entry)
      return why === undefined ? [] : [{ name: entry.name, why }]
    })
    return { tensors, skipped, close: () => closeSync(file) }
  } catch (thrown) {
    closeSync(file)
    throw thrown
  }
}

function opened(path: string): number {
  try {
    const file = openSync(path, 'r')
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (thrown) {
    throw new WeightsError(`cannot be opened: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
  throw new WeightsError('is not a file')
}

function headerLength(file: number, size: number): number {
  if (size < 8) throw new WeightsError(`is too short for a header [${size} bytes]`)
  const length = new DataView(readBytes(file, 0, 8)).getBigUint64(0, true)
  if (length > longestHeader)
    throw new WeightsError(`header is longer than ${longestHeader} bytes [${length}]`)
  if (length > size - 8) throw new WeightsError(`header is longer than the file [${length} of ${size} bytes]`)
  return Number(length)
}

function parseHeader(bytes: ArrayBuffer): [name: string, facts: unknown][] {
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new WeightsError('header is not JSON')
  }
  if (!isRecord(header)) throw new WeightsError('header is not a JSON object')
  return Object.entries(header).filter(([name]) => name !== '__metadata__')
}

interface Entry {
  readonly name: string
  readonly dtype: string
  readonly shape: readonly number[]
  readonly from: number
  readonly to: number
}

function entryOf(name: string, facts: unknown): Entry {
  const shown = readableName(name)
  if (!isRecord(facts)) throw new WeightsError(`tensor is not described by an object [${shown}]`)
  const { dtype, shape, data_offsets: offsets } = facts
  if (typeof dtype !== 'string') throw new WeightsError(`dtype is not a word [${shown}]`)
  if (!isCounts(shape)) throw new WeightsError(`shape is not a list of whole numbers [${shown}]`)
  if (!isCounts(offsets) || offsets.length !== 2) {
    throw new WeightsError(`data_offsets are not two whole numbers [${shown}]`)
  }
  const [from, to] = offsets as [number, number]
  const size = floats[dtype]?.bytes
  const expected = size === undefined ? undefined : shape.reduce((product, side) => product * side, size)
  if (to < from || (expected !== undefined && expected !== to - from)) {
    const place = `${shown}: ${dtype} [${shape.slice(0, 8).join(', ')}] at ${from} ... ${to}`
    throw new WeightsError(`tensor has not as many bytes as its shape asks for [${place}]`)
  }
  return { name: shown, dtype, shape, from, to }
}

/** Throws unless the tensors fill the bytes after the header without holes and without sharing. */
function checkPlaces(entries: readonly Entry[], bytes: number): void {
  let end = 0
  for (const { name, from, to } of [...entries].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (from !== end) {
      const what = from > end ? 'leaves a hole before it' : 'shares bytes with another'
      throw new WeightsError(`tensor ${what} [${name}: at ${from}, not ${end}]`)
    }
    end = to
  }
  if (end !== bytes) throw new WeightsError(`tensors do not end where the file does [${end}, not ${bytes}]`)
}

function skipReason({ dtype, from, to }: Entry): string | undefined {
  if (!Object.hasOwn(floats, dtype)) return `dtype ${readableName(dtype)}`
  return from === to ? 'no values' : undefined
}

/** Whole rows as many as fit, or stretches of a row that is longer than a piece. */
function* pieces(
  file: number,
  { bytes, read }: FloatStorage,
  shape: readonly number[],
  place: number,
): Generator<Piece> {
  const { rows, rowLength } = rowsOf(shape)
  const stretch = Math.min(rowLength, pieceValues)
  const most = Math.max(1, Math.floor(pieceValues / rowLength)) * stretch
  const end = rowLength > pieceValues ? rowLength : rows * rowLength
  for (let row = 0; row * end < rows * rowLength; row++) {
    for (let from = 0; from < end; from += most) {
      const count = Math.min(most, end - from)
      const values = read(readBytes(file, place + (row * end + from) * bytes, count * bytes))
      yield { values, rowLength: Math.min(count, rowLength) }
    }
  }
}

function readBytes(file: number, place: number, length: number): ArrayBuffer {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, place + done)
    if (read === 0) throw new WeightsError(`ends early [byte ${place + done}]`)
    done += read
  }
  return bytes.buffer
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((side) => Number.isSafeInteger(side) && side >= 0)

/** A name for a terminal: at most 100 characters, control characters as escapes. */
function readableName(name: string): string {
  const plain = name.replace(/\p{C}/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
  return plain.length > 100 ? `${plain.slice(0, 97)}...` : plain
}
