import { crc32 } from 'node:zlib'

/*
 * A record file: 16 bytes of magic and version; blocks; at its end a block that lists the blocks, and a trailer of 32 bytes
 * that says where that one begins. Every block is a header of 32 bytes, a table of 8 bytes an entry, and data:
 *
 *   header   magic, kind, first record (64 bits), entries, bytes of data, CRC-32 of the table, CRC-32 of the 28 bytes before
 *   table    of a block of records: the length and the CRC-32 of each
 *            of a block that is an index: no entries; its data are for each block of records where it begins (64 bits), and
 *            its first record (64 bits); the CRC-32 of these data stands in place of that of the table
 *   trailer  magic, CRC-32 of the 24 bytes behind it, where the index begins (64 bits), records (64 bits), 8 bytes of zeros
 *
 * Numbers are little-endian. Nothing that was written is ever written again: appending leaves the old index where it is and
 * ends with a new one.
 */

/** The first 16 bytes: text that a transfer in text mode would change, and version 1. */
export const fileMagic: Uint8Array = Uint8Array.of(
  ...Buffer.from('tpurecs\r\n\x1a\n', 'latin1'),
  ...[0, 1, 0, 0, 0],
)
const blockMagic = 0x4b4c4254
const trailerMagic = 0x444e4554
export const headerBytes = 32
export const trailerBytes = 32

/** What the header of a block says. */
export interface BlockHeader {
  readonly kind: 'records' | 'index'
  /** The number of its first record; of an index, how many records there are. */
  readonly first: number
  readonly entries: number
  /** Bytes behind the table. */
  readonly dataBytes: number
  /** CRC-32 of the table; of an index, of its data. */
  readonly crc: number
}

export function encodeHeader({ kind, first, entries, dataBytes, crc }: BlockHeader): Uint8Array {
  const bytes = Buffer.alloc(headerBytes)
  bytes.writeUInt32LE(blockMagic, 0)
  bytes.writeUInt32LE(kind === 'records' ? 1 : 2, 4)
  bytes.writeBigUInt64LE(BigInt(first), 8)
  bytes.writeUInt32LE(entries, 16)
  bytes.writeUInt32LE(dataBytes, 20)
  bytes.writeUInt32LE(crc, 24)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28)
  return bytes
}

/** The header in 32 bytes; undefined where they are none. */
export function decodeHeader(bytes: Uint8Array): BlockHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < headerBytes || view.getUint32(0, true) !== blockMagic) return undefined
  if (view.getUint32(28, true) !== crc32(bytes.subarray(0, 28))) return undefined
  const kind = view.getUint32(4, true)
  if (kind !== 1 && kind !== 2) return undefined
  return {
    kind: kind === 1 ? 'records' : 'index',
    first: Number(view.getBigUint64(8, true)),
    entries: view.getUint32(16, true),
    dataBytes: view.getUint32(20, true),
    crc: view.getUint32(24, true),
  }
}

/** The bytes of a whole block. */
export function blockLength({ entries, dataBytes }: BlockHeader): number {
  return headerBytes + 8 * entries + dataBytes
}

export function encodeTrailer(indexStart: number, records: number): Uint8Array {
  const bytes = Buffer.alloc(trailerBytes)
  bytes.writeBigUInt64LE(BigInt(indexStart), 8)
  bytes.writeBigUInt64LE(BigInt(records), 16)
  bytes.writeUInt32LE(trailerMagic, 0)
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4)
  return bytes
}

/** Where the index begins, of a trailer; undefined where the bytes are none. */
export function decodeTrailer(bytes: Uint8Array): { indexStart: number; records: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < trailerBytes || view.getUint32(0, true) !== trailerMagic) return undefined
  if (view.getUint32(4, true) !== crc32(bytes.subarray(8, trailerBytes))) return undefined
  return { indexStart: Number(view.getBigUint64(8, true)), records: Number(view.getBigUint64(16, true)) }
}

/** Where each block of records begins, and with which record. */
export interface BlockList {
  readonly starts: number[]
  readonly firsts: number[]
}

/** The block that lists the blocks. */
export function encodeIndex({ starts, firsts }: BlockList, records: number): Uint8Array {
  const data = Buffer.alloc(16 * starts.length)
  starts.forEach((start, i) => {
    data.writeBigUInt64LE(BigInt(start), 16 * i)
    data.writeBigUInt64LE(BigInt(firsts[i]!), 16 * i + 8)
  })
  const header = encodeHeader({
    kind: 'index',
    first: records,
    entries: 0,
    dataBytes: data.length,
    crc: crc32(data),
  })
  return Buffer.concat([header, data])
}

export function decodeIndex(data: Uint8Array): BlockList {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const starts: number[] = []
  const firsts: number[] = []
  for (let at = 0; at + 16 <= data.length; at += 16) {
    starts.push(Number(view.getBigUint64(at, true)))
    firsts.push(Number(view.getBigUint64(at + 8, true)))
  }
  return { starts, firsts }
}
