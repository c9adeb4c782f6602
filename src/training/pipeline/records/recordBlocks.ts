import { crc32 } from 'node:zlib'
import { type BlockList, encodeHeader, encodeIndex, encodeTrailer, headerBytes } from './recordFormat.js'

/** How records are put into blocks. */
export interface RecordOptions {
  /** A block is closed when its records reach so many bytes. Default 65,536. */
  readonly blockBytes?: number
}

const maxEntries = 8192

/** What is in the file before: where it ends, its blocks, its records. */
export interface RecordsBefore extends BlockList {
  readonly end: number
  readonly records: number
}

/** Records as the bytes of blocks, and at last the index and the trailer. */
export function* recordBlocks(
  op: string,
  records: Iterable<Uint8Array | string>,
  before: RecordsBefore,
  options: RecordOptions,
): Generator<Uint8Array, void, void> {
  const { blockBytes = 65_536 } = options
  if (!(Number.isSafeInteger(blockBytes) && blockBytes > 0)) {
    throw new RangeError(`${op}: blockBytes is not a positive integer [${String(blockBytes)}]`)
  }
  const list: BlockList = { starts: [...before.starts], firsts: [...before.firsts] }
  let at = before.end
  let count = before.records
  let waiting: Uint8Array[] = []
  let bytes = 0
  const block = (): Uint8Array[] => {
    const first = count - waiting.length
    const table = Buffer.alloc(8 * waiting.length)
    waiting.forEach((record, i) => {
      table.writeUInt32LE(record.length, 8 * i)
      table.writeUInt32LE(crc32(record), 8 * i + 4)
    })
    const header = encodeHeader({
      kind: 'records',
      first,
      entries: waiting.length,
      dataBytes: bytes,
      crc: crc32(table),
    })
    list.starts.push(at)
    list.firsts.push(first)
    const pieces = [header, table, ...waiting]
    at += headerBytes + table.length + bytes
    waiting = []
    bytes = 0
    return pieces
  }
  for (const record of records) {
    const content = typeof record === 'string' ? Buffer.from(record) : record
    if (!(content instanceof Uint8Array)) {
      throw new TypeError(`${op}: a record is bytes or text [record ${count}: ${typeof record}]`)
    }
    if (bytes + content.length >= 2 ** 32) {
      if (waiting.length > 0) yield* block()
      if (content.length >= 2 ** 32) {
        throw new RangeError(`${op}: a record of 4 GiB or more [record ${count}]`)
      }
    }
    waiting.push(content)
    bytes += content.length
    count++
    if (bytes >= blockBytes || waiting.length === maxEntries) yield* block()
  }
  if (waiting.length > 0) yield* block()
  yield encodeIndex(list, count)
  yield encodeTrailer(at, count)
}
