import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import { checkState } from './perceive.js'

/** Options of `cellsPng`. */
export interface CellsPngOptions {
  /** Pixels along each side of a cell. Default 1. */
  readonly scale?: number
  /** Pictures in a row. Default: all. */
  readonly columns?: number
}

const names: OptionTable<CellsPngOptions> = { scale: 'optional', columns: 'optional' }

/**
 * A picture of states, as the bytes of a PNG file: the first four channels as red, green, blue times opacity, and opacity.
 * What is outside of [0, 1] is cut off, NaN is 0. Not compressed: for small pictures.
 *
 * Shape     [height, width, channels], or [n, height, width, channels], one beside the other.
 *
 * @example cellsPng(zeros([2, 2, 4])).slice(1, 4) // [80, 78, 71]
 */
export function cellsPng(x: Tensor, options: CellsPngOptions = noOptions): Uint8Array {
  checkState('cellsPng', x)
  checkOptions('cellsPng', options, names, { positional: 'scale' })
  if (x.rank < 3 || x.rank > 4 || x.shape.at(-1)! < 4 || x.size === 0) {
    throw new RangeError(`cellsPng: x is not of cells with four channels or more [${x.shape.join(', ')}]`)
  }
  const [height, width, channels] = x.shape.slice(-3) as [number, number, number]
  const n = x.rank === 4 ? x.shape[0]! : 1
  const { scale = 1, columns = n } = options
  checkInteger('cellsPng', 'scale', scale, 1)
  checkInteger('cellsPng', 'columns', columns, 1)
  const across = Math.min(columns, n)
  const size = [width * across * scale, height * Math.ceil(n / across) * scale] as const
  const values = x.toNumbers()
  const pixel = (px: number, py: number): readonly number[] => {
    const [column, row] = [Math.floor(px / scale / width), Math.floor(py / scale / height)]
    const picture = row * across + column
    if (picture >= n) return [0, 0, 0, 0]
    const [cx, cy] = [Math.floor(px / scale) % width, Math.floor(py / scale) % height]
    const at = ((picture * height + cy) * width + cx) * channels
    const opacity = share(values[at + 3]!)
    const color = [0, 1, 2].map((k) => (opacity === 0 ? 0 : share(values[at + k]! / opacity)))
    return [...color, opacity].map((value) => Math.round(255 * value))
  }
  return pngOf(size[0], size[1], pixel)
}

const share = (value: number): number => (value > 0 ? Math.min(1, value) : 0)

/** A PNG file of 8 bits for each of red, green, blue and opacity. Source: PNG specification, third edition, sections 5 and 11. */
function pngOf(
  width: number,
  height: number,
  pixel: (x: number, y: number) => readonly number[],
): Uint8Array {
  const rows = new Uint8Array(height * (1 + 4 * width))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (1 + 4 * width) + 1 + 4 * x)
  }
  const header = new Uint8Array(13)
  const words = new DataView(header.buffer)
  words.setUint32(0, width)
  words.setUint32(4, height)
  header.set([8, 6, 0, 0, 0], 8)
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  return joined([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', stored(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}

/** A zlib stream without compression: blocks of at most 65,535 bytes. Source: RFC 1950, RFC 1951 section 3.2.4. */
function stored(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)]
  for (let from = 0; from < bytes.length; from += 65_535) {
    const part = bytes.subarray(from, from + 65_535)
    const [low, high] = [part.length & 255, part.length >> 8]
    const last = from + part.length === bytes.length ? 1 : 0
    parts.push(Uint8Array.of(last, low, high, low ^ 255, high ^ 255), part)
  }
  let [a, b] = [1, 0]
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return joined([...parts, bigEndian(b * 65_536 + a)])
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = joined([Uint8Array.from(type, (letter) => letter.charCodeAt(0)), data])
  return joined([bigEndian(data.length), body, bigEndian(crc32(body))])
}

function bigEndian(word: number): Uint8Array {
  return Uint8Array.of(word >>> 24, word >>> 16, word >>> 8, word)
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((n, part) => n + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
